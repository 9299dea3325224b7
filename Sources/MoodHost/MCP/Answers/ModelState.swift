import JSONRPC
import MCP
import MoodCore

/// The agreements and subscriptions of an AI client while it is connected; a part of the session's state.
struct ModelState {
    /// The most subscriptions to resources.
    static let addressesMax = 1000
    static let listenersMax = 64

    /// The revision that `initialize` agreed on; nil: each request names its own.
    var agreed: Revision?
    /// The resources of `resources/subscribe`.
    var addresses: [String] = []
    /// Whether to send `resources/list_changed` to clients of older MCP revisions.
    var hearsLists = false
    var listeners: [ModelListener] = []
    /// The last commit that was reported, or need not be; nil without followers of commits.
    var told: Int?

    /// Whether an AI client follows commits.
    var followsStore: Bool { told != nil }

    var wantsCommits: Bool {
        hearsLists || !addresses.isEmpty || listeners.contains { $0.hearsLists || !$0.addresses.isEmpty }
    }

    func awaits(_ revision: Int) -> Bool { told == revision - 1 }
}

/// A `subscriptions/listen` that goes on.
struct ModelListener {
    /// The id as written.
    let id: [UInt8]
    let framing: Framing
    let hearsTools: Bool
    let hearsLists: Bool
    let addresses: [String]
}

/// The moods that unreported commits have touched.
struct TouchedMoods {
    /// None, but other settings: by them moods are on other days.
    static var ofSettings: TouchedMoods {
        var touched = TouchedMoods()
        (touched.isEmpty, touched.isOfSettings) = (false, true)
        return touched
    }

    private(set) var isEmpty = true
    private(set) var isOfSettings = false
    private var ids: Set<MoodID> = []
    /// Whether there were too many to keep, or they are unknown.
    private var isAll = false
    private static let idsMax = 1000

    mutating func add(_ id: MoodID) {
        isEmpty = false
        if ids.count < Self.idsMax { ids.insert(id) } else { isAll = true }
    }

    mutating func addAll() { (isEmpty, isAll) = (false, true) }

    /// Whether the resource of an address may have changed.
    func mayChange(_ address: String) -> Bool {
        switch ResourceAddress(address) {
        case .mood(let id): isAll || ids.contains(id)
        case .menu, .screen(.menu), nil: false
        case .moods, .day, .tag, .stats, .year, .screen: true
        }
    }
}
