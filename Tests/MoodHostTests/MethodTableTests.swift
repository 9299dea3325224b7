import JSONCodec
import JSONRPC
import Testing

@testable import MoodHost
@testable import MoodProtocol

@Suite struct MethodTableTests {
    /// The name of the method that these bytes find.
    private static func find(_ name: String, in table: borrowing MethodTable, isEscaped: Bool = false) -> String? {
        let bytes = Array(name.utf8)
        return bytes.withUnsafeBytes { table.find(JSONText(raw: $0, isEscaped: isEscaped))?.method.name.description }
    }

    @Test func findsEveryMethodByItsNameAndNoOther() {
        let table = MethodTable()
        let names = Set(table.all.map { "\($0.name)" })
        for name in names {
            let shorter = String(name.dropLast())
            for (asked, found) in [
                (name, name), (name + "x", nil), (shorter, names.contains(shorter) ? shorter : nil),
                (name.uppercased(), nil),
            ] {
                let answer = Self.find(asked, in: table)
                #expect(answer == found)
            }
        }
        for name in ["", String(repeating: "mood.get", count: 100_000)] {
            let answer = Self.find(name, in: table)
            #expect(answer == nil)
        }
    }

    @Test func findsAnEscapedName() {
        let found = Self.find(#"mood\u002eget"#, in: MethodTable(), isEscaped: true)
        #expect(found == "mood.get")
    }

    @Test(arguments: [
        ("mood.creat", "mood.create"), ("mod.create", "mood.create"), ("create", "mood.create"), ("list", "mood.list"),
        ("mood.favorite", "mood.setFavorite"), ("MOOD.LIST", "mood.list"), ("mood.lsit", "mood.list"),
        ("nav.back", "nav.goBack"), ("host.pong", "host.ping"), ("discover", "rpc.discover"),
    ])
    func suggestsTheNameThatWasMeant(name: String, meant: String) {
        let suggestions = MethodTable().suggestions(for: name)
        #expect(suggestions.contains(meant) && suggestions.count <= 3, "\(suggestions)")
    }

    @Test func suggestsNothingForWhatIsNearNothing() {
        #expect(MethodTable().suggestions(for: "").isEmpty)
        #expect(MethodTable().suggestions(for: "textDocument/completion").isEmpty)
        #expect(MethodTable().suggestions(for: String(repeating: "m", count: 1_000_000)).isEmpty)
    }

    // MARK: Added methods

    private static func added(_ name: Name, params: [Field] = []) -> Method {
        Method(
            name, .read, .readMoods, "Say what was given.", described: params, result: .any, errors: [], since: "1.0")
    }

    /// Answers with the given text.
    private static let echo = Handler.Run.now { (_, _, arguments, out) throws(RPCError) in
        let text = arguments.whole.map { JSONValue($0) }?["text"]?.text ?? ""
        Array(text.utf8).withUnsafeBytes { out.raw($0) }
    }

    /// Far more than fit into the table at first, and than eight bits can count.
    @Test func takesAnyNumberOfMethods() throws {
        var table = MethodTable()
        var names = KeptNames()
        let own = table.count
        for number in 0..<1000 {
            let isAdded = table.add(Self.added(names.name("x.org.example.p.m\(number)")), Self.echo)
            #expect(isAdded)
        }
        let count = table.count
        #expect(count == own + 1000)
        for number in stride(from: 0, to: 1000, by: 2) {
            let isGone = table.remove(names.name("x.org.example.p.m\(number)"))
            #expect(isGone)
        }
        for number in 0..<1000 {
            let name = "x.org.example.p.m\(number)"
            let found = Self.find(name, in: table)
            #expect(found == (number % 2 == 0 ? nil : name))
        }
        let found = Self.find("store.reset", in: table)
        #expect(found == "store.reset")
        #expect(table.all.map { "\($0.name)" }.last == "x.org.example.p.m999")
    }

    @Test func aNameIsTakenOnceAndTheProgramsOwnStay() throws {
        var table = MethodTable()
        let results = [
            table.add(Self.added("mood.get"), Self.echo), table.add(Self.added("x.a.b"), Self.echo),
            table.add(Self.added("x.a.b"), Self.echo), table.remove("mood.get"), table.remove("x.a.c"),
            table.remove("x.a.b"), table.remove("x.a.b"),
        ]
        #expect(results == [false, true, false, false, false, true, false])
    }

    @Test func whatIsAddedWhileTheHostRunsIsCalledDescribedAndSuggested() throws {
        let session = TestSession()
        var names = KeptNames()
        let method = "x.org.example.echo"
        #expect(try session.call(method, #"{"text":"a"}"#).code == -32601)
        // Names that are in no literal of the program.
        let field = Field.required(names.name("te" + "xt"), .string(.plain), "What to say.")
        session.add(Self.added(names.name(method), params: [field]), Self.echo)
        #expect(try session.result(method, #"{"text":"a"}"#).string == "a")
        #expect(try session.result(method, #"{ "te\u0078t" : "c" }"#).string == "c")
        let described = try #require(
            try session.result("rpc.discover")["methods"]?.array?.first { $0["name"]?.string == method })
        #expect(described["params"]?.array?.first?["name"]?.string == "text")
        let hint = try session.call("x.org.example.ecko")["error"]?["data"]?["suggestions"]?.array?.first
        #expect(hint?.string == method)
        session.removeMethod(names.name(method))
        #expect(try session.call(method, #"{"text":"a"}"#).code == -32601)
        #expect(try session.result("rpc.discover")["methods"]?.array?.count == MethodTable().count)
    }
}
