import JSONCodec
import Platform

/// Plays the hosts of several replicas for one transport plugin, on a running engine, and checks the rules for every
/// transport. Each trial has its own journal, which stays on the engine.
final class TransportDoctor: Doctor {
    static let clause = "Docs/Sync.md, For an author of a transport"
    static let requestMilliseconds = 60_000
    /// The longest message, in bytes.
    static let messageBytes = 2 << 20

    let plan: KeptProcess.Plan
    let hello: JSONValue
    let url: String
    let config: JSONValue
    private(set) var journal = ""

    init(_ bench: PluginBench, _ info: JSONValue, url: String, config: JSONValue, runtimes: [String])
        throws(ClientError)
    {
        plan = try bench.plan(info, runtimes: runtimes)
        hello = bench.hello(info)
        (self.url, self.config) = (url, config)
    }

    func note(_ what: String) { note(Self.clause, what) }

    /// Notes a finding unless a condition holds.
    func expect(_ isSo: Bool, _ what: @autoclosure () -> String) { if !isSo { note(what()) } }

    /// Runs a trial with so many plugins, each of which has opened the same new journal.
    func attempt(_ name: String, hosts: Int = 1, _ body: ([TransportTalk]) -> Void) throws(ClientError) {
        begin(name)
        journal = Self.newID()
        var talks: [TransportTalk] = []
        defer { for talk in talks { talk.kill() } }
        for _ in 0..<hosts {
            let talk = try start()
            talks.append(talk)
            guard talk.isUsable else { return }
            talk.open(journal)
        }
        body(talks)
    }

    /// A plugin after the greeting that has opened nothing.
    func start() throws(ClientError) -> TransportTalk {
        let talk = try TransportTalk(self)
        let answer = talk.answer("plugin.hello", Params(hello.object ?? []))
        if answer?["result"]?["protocol"]?.integer != 1 {
            talk.isUsable = false
            note("plugin.hello is not answered with {\"protocol\":1}\(talk.lastWords)")
        }
        return talk
    }

    static func newID() -> String {
        let random = RandomWords()
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        var word: UInt64 = 0
        for place in 0..<32 {
            if place % 16 == 0 { word = random.next() }
            if [8, 12, 16, 20].contains(place) { text.append(UInt8(ascii: "-")) }
            let digit = place == 12 ? 4 : place == 16 ? 8 + word & 3 : word & 15
            text.append(digits[Int(digit)])
            word >>= 4
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The conversation with one plugin.
final class TransportTalk {
    private let doctor: TransportDoctor
    private let subject: PluginUnderTest
    private let talk: Conversation
    private var inspection = Inspection()
    private var isKilled = false
    private var number = 0
    var isUsable = true

    init(_ doctor: TransportDoctor) throws(ClientError) {
        self.doctor = doctor
        subject = try orUnavailable("The plugin cannot be started") { () throws(SystemError) in
            try PluginUnderTest(doctor.plan)
        }
        talk = Conversation(subject)
    }

    /// Ends it, and checks the rules for every message.
    func kill() {
        subject.kill()
        guard !isKilled else { return }
        isKilled = true
        inspection.look(at: talk.received, rubbish: PluginDoctor.Clause.stdout)
        for fault in inspection.faults { doctor.note("\(fault.clause): \(fault.what)") }
    }

    /// The last line of its stderr.
    var lastWords: String {
        let line = String(decoding: talk.complaints.suffix(2000), as: UTF8.self).split(separator: "\n").last
        return (line.map { ": \($0.prefix(300))" } ?? "") + "."
    }

    /// The number of its notifications `transport.changed`.
    var changes: Int { talk.received.filter { $0.value?["method"]?.string == "transport.changed" }.count }

    func wait(_ milliseconds: Int, until isSo: () -> Bool = { false }) { talk.wait(milliseconds, until: isSo) }

    /// Repeats a request: an engine of several servers may lag behind another host's last push.
    func whenCaughtUp<Answer>(_ isSo: (Answer) -> Bool, _ ask: () -> Answer) -> Answer {
        for _ in 0..<Self.tries {
            let answer = ask()
            if isSo(answer) || !isUsable { return answer }
            wait(Self.pauseMilliseconds)
        }
        return ask()
    }

    private static let tries = 20
    private static let pauseMilliseconds = 100

    /// The whole answer; nil if none came.
    func answer(_ method: String, _ params: Params) -> JSONValue? {
        guard isUsable else { return nil }
        number += 1
        let id = JSONValue.number(String(number))
        talk.send(inspection.ask(method, params.json, id: id))
        talk.wait(TransportDoctor.requestMilliseconds) { talk.isOutputAtEnd || !talk.answers(to: id).isEmpty }
        guard let message = talk.answers(to: id).first else {
            isUsable = false
            doctor.note("\(method) has no answer\(lastWords)")
            return nil
        }
        if message.bytes.count > TransportDoctor.messageBytes {
            doctor.note("The answer to \(method) has \(message.bytes.count) bytes; a message has at most 2 MiB.")
        }
        return message.value
    }

    /// The result. An answer without one is a finding.
    func result(_ method: String, _ params: Params) -> JSONValue {
        guard let answer = answer(method, params) else { return .null }
        if let result = answer["result"], result.object != nil { return result }
        doctor.note("\(method) is answered with \(String((answer["error"] ?? answer).text.prefix(300)))")
        return .null
    }

    // MARK: The questions

    @discardableResult
    func open(_ journal: String?) -> [String] {
        let params: Params = ["url": doctor.url, "config": doctor.config, "journal": journal]
        let journals = result("transport.open", params)["journals"]?.array
        doctor.expect(journals != nil || !isUsable, "transport.open has to answer {\"journals\":[…]}.")
        return (journals ?? []).compactMap(\.string)
    }

    /// - Returns: `last`; -1 if there is none.
    func push(_ replica: String, _ records: [TransportRecord]) -> Int {
        let params: Params = ["replica": replica, "records": records.map { $0.json(replica) }]
        let last = result("transport.push", params)["last"]?.integer
        doctor.expect(last != nil || !isUsable, "transport.push has to answer {\"last\":n}.")
        return last ?? -1
    }

    func pull(
        _ have: [String: Int], parts: [String: Int] = [:]
    ) -> (records: [String: [TransportRecord]], last: [String: Int], more: Bool) {
        func object(_ numbers: [String: Int]) -> Params {
            Params(numbers.sorted { $0.key < $1.key }.map { .init($0.key, $0.value.json) })
        }
        let answer = result("transport.pull", ["have": object(have), "parts": object(parts).unlessEmpty])
        guard let records = answer["records"]?.array, let last = answer["last"]?.object else {
            if isUsable { doctor.note("transport.pull has to answer {\"records\":[…],\"last\":{…},\"more\":…}.") }
            return ([:], [:], false)
        }
        var found: [String: [TransportRecord]] = [:]
        for record in records {
            guard let replica = record["replica"]?.string, let one = TransportRecord(record) else {
                doctor.note("A record of transport.pull has replica, n and text, as it was pushed.")
                continue
            }
            found[replica, default: []].append(one)
        }
        var numbers: [String: Int] = [:]
        for member in last { numbers[member.name] = member.value.integer }
        return (found, numbers, answer["more"]?.boolean ?? false)
    }

    func snapshots() -> [(id: String, vector: JSONValue, parts: Int)] {
        guard let items = result("transport.snapshots", [:])["items"]?.array else {
            if isUsable { doctor.note("transport.snapshots has to answer {\"items\":[…]}.") }
            return []
        }
        return items.map { ($0.text(of: "id"), $0["vector"] ?? .null, $0["parts"]?.integer ?? -1) }
    }

    func put(_ id: String, _ part: Int, _ text: String, vector: JSONValue? = nil) {
        _ = result("transport.putPart", ["id": id, "part": part, "text": text, "vector": vector])
    }

    func text(_ id: String, _ part: Int) -> String? {
        result("transport.getPart", ["id": id, "part": part])["text"]?.string
    }

    func drop(_ replica: String, upTo: Int, ids: [String] = []) {
        _ = result("transport.drop", ["replica": replica, "upTo": upTo, "ids": ids])
    }
}

/// A record in a transport.
struct TransportRecord: Equatable {
    let number: Int
    let text: String
    var part: Int?
    var parts: Int?

    init(_ number: Int, _ text: String, part: Int? = nil, of parts: Int? = nil) {
        (self.number, self.text, self.part, self.parts) = (number, text, part, parts)
    }

    init?(_ value: JSONValue) {
        guard let number = value["n"]?.integer, let text = value["text"]?.string else { return nil }
        self.init(number, text, part: value["part"]?.integer, of: value["parts"]?.integer)
    }

    func json(_ replica: String) -> JSONValue {
        let all: Params = ["replica": replica, "n": number, "part": part, "parts": parts, "text": text]
        return all.json
    }

    static func == (a: TransportRecord, b: TransportRecord) -> Bool {
        a.number == b.number && a.text.utf8.elementsEqual(b.text.utf8) && a.part == b.part && a.parts == b.parts
    }
}
