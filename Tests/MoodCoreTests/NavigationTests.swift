import JSONCodec
import Seeds
import Testing

@testable import MoodCore

@Suite struct NavigationTests {
    private static let id = MoodID(high: 0x0190_b5a0_7c5e_7000, low: 0x8000_3f2a_9c1d_4e5b)
    private static let routes: [Route] = [
        .menu, .introState, .observation, .architecture, .crudList, .moodDetail(id),
    ]

    @Test func routesHaveTheirNamesInOrder() {
        #expect(Self.routes.map { "\($0.name)" } == Route.names)
    }

    @Test(arguments: routes)
    func aRouteIsItsNameAndItsID(route: Route) throws {
        #expect(Route(name: "\(route.name)", id: route.id) == route)
        let text = written { route.write(to: &$0) }
        let id = route.id.map { ",\"id\":\"\($0.text)\"" } ?? ""
        #expect(text == "{\"name\":\"\(route.name)\"\(id)}")
    }

    @Test func anIDBelongsToMoodDetailAlone() {
        #expect(Route(name: "moodDetail", id: nil) == nil)
        for name in Route.names where name != "moodDetail" { #expect(Route(name: name, id: Self.id) == nil) }
        #expect(Route(name: "Menu", id: nil) == nil)
        #expect(Route(name: "", id: nil) == nil)
    }

    @Test(arguments: [
        (Route.menu, "moodboard://menu"), (.introState, "moodboard://intro-state"),
        (.observation, "moodboard://observation"), (.architecture, "moodboard://architecture"),
        (.crudList, "moodboard://moods"),
        (.moodDetail(id), "moodboard://mood/0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b"),
    ])
    func deepLinksGoBothWays(route: Route, url: String) {
        #expect(DeepLink.url(of: route) == url)
        #expect(DeepLink.route(of: url) == route)
        #expect(DeepLink.route(of: url.uppercased()) == route, "scheme, host and UUIDs have no case")
    }

    @Test(arguments: [
        "", "moodboard:", "moodboard://", "moodboard:///menu", "moodboard://menu/", "moodboard://menu?x=1",
        "moodboard://menu#x", "moodboard://menu:80", "moodboard://a@menu", "moodboard://mood", "moodboard://mood/",
        "moodboard://mood/x", "moodboard://mood/0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b/",
        "moodboard://mood/0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b?x", "moodboard://moods/x", "moodboard://nowhere",
        "http://menu", "menu", " moodboard://menu", "moodboard://menu ", "moodboard://intro_state",
        "moodboard://m%65nu",
    ])
    func refusesOtherURLs(url: String) {
        #expect(DeepLink.route(of: url) == nil)
    }

    @Test func navigatesBackAndToTheRoot() throws {
        var router = Router()
        #expect(router.current == .menu && !router.canGoBack && router.path.isEmpty)
        try router.navigate(to: .crudList)
        try router.navigate(to: .moodDetail(Self.id))
        #expect(router.path == [.crudList, .moodDetail(Self.id)])
        #expect(router.current == .moodDetail(Self.id) && router.canGoBack)
        router.goBack()
        #expect(router.path == [.crudList])
        router.goBackToRoot()
        router.goBack()
        #expect(router == Router())
    }

    @Test func navigatingPushesAgainAndOpeningDoesNot() throws {
        var router = Router()
        try router.navigate(to: .crudList)
        try router.navigate(to: .crudList)
        #expect(router.path == [.crudList, .crudList])
        try router.open(.crudList)
        #expect(router.path == [.crudList, .crudList])
        try router.open(.observation)
        #expect(router.path == [.crudList, .crudList, .observation])
    }

    @Test func theMenuIsTheRootAndNeverInThePath() throws {
        var router = Router()
        try router.navigate(to: .crudList)
        try router.navigate(to: .menu)
        #expect(router.path.isEmpty)
        try router.navigate(to: .crudList)
        try router.replace(with: .menu)
        #expect(router.path.isEmpty)
        try router.navigate(to: .crudList)
        try router.open(.menu)
        #expect(router.path.isEmpty)
    }

    @Test func replacingAtTheRootPushes() throws {
        var router = Router()
        try router.replace(with: .observation)
        #expect(router.path == [.observation])
        try router.replace(with: .crudList)
        #expect(router.path == [.crudList])
    }

    @Test func holdsAtMost64Routes() throws {
        var router = Router()
        for _ in 0..<Router.depthMax { try router.navigate(to: .crudList) }
        let full = router
        #expect(throws: Router.TooDeep.self) { try router.navigate(to: .observation) }
        #expect(throws: Router.TooDeep.self) { try router.open(.observation) }
        #expect(router == full)
        try router.replace(with: .observation)
        #expect(router.path.count == Router.depthMax)
        try router.open(.observation)
        try router.navigate(to: .menu)
        #expect(router.path.isEmpty)
    }

    /// Random steps against the simplest model: an array.
    @Test(arguments: SeededRandom.seeds)
    func anySequenceOfStepsIsThatOfAStack(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var router = Router()
        var model: [Route] = []
        for step in 0..<5_000 {
            let route = Self.routes.randomElement(using: &random) ?? .menu
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                try? router.navigate(to: route)
                if route == .menu { model = [] } else if model.count < 64 { model.append(route) }
            case 4:
                try? router.open(route)
                if route != model.last ?? .menu {
                    if route == .menu { model = [] } else if model.count < 64 { model.append(route) }
                }
            case 5:
                try? router.replace(with: route)
                if route == .menu { model = [] } else { model = model.dropLast() + [route] }
            case 6:
                router.goBack()
                model = model.dropLast()
            default:
                guard Int.random(in: 0..<40, using: &random) == 0 else { continue }
                router.goBackToRoot()
                model = []
            }
            try #require(router.path == model, "seed \(seed), step \(step)")
        }
    }

    @Test func aStateIsItsPathAndWhatFollowsFromIt() throws {
        var router = Router()
        #expect(
            written { router.write(name: "a\"b", to: &$0) }
                == #"{"router":"a\"b","path":[],"current":{"name":"menu"},"canGoBack":false,"depth":0}"#)
        try router.navigate(to: .crudList)
        #expect(
            written { router.write(name: "main", to: &$0) }
                == #"{"router":"main","path":[{"name":"crudList"}],"current":{"name":"crudList"},"canGoBack":true,"depth":1}"#
        )
    }
}
