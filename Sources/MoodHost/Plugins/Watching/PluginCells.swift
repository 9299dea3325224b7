import JSONCodec
import MoodCore
import PluginHost

/// A cache of cells that plugins have made for moods: at most 256, each for as long as its plugin allows.
struct PluginCells {
    /// The values that cells depend on.
    struct Key: Hashable {
        let plugin: PluginID
        let mood: MoodID
        let revision: Int
        /// Locale, zone, place, settings and digest.
        let surroundings: String
    }

    private struct Entry {
        /// JSON, with commas between them.
        let cells: [UInt8]
        /// The end of validity by the monotonic clock, in milliseconds.
        let end: Int
        let number: Int
        /// The end of the time in which a screen shows them once, however short they are valid.
        let showEnd: Int
        var isShown = false
    }

    private static let countMax = 256
    private static let maxAge = 300.0
    private static let maxAgeMax = 86_400.0
    /// The time for a client that was told of cells to ask for them.
    private static let showMilliseconds = 5000

    private var entries: [Key: Entry] = [:]
    private var count = 0
    /// The cells that a screen showed as loading.
    private(set) var missed: Set<Key> = []
    /// The calls under way.
    var underWay: [Key: PluginCall] = [:]

    /// Whether the plugin need not be asked: its cells are valid, or no screen has shown them yet.
    func has(_ key: Key, at now: Int) -> Bool {
        guard let entry = entries[key] else { return false }
        return now < entry.end || !entry.isShown && now < entry.showEnd
    }

    /// The cells for a screen; nil if a call for them is under way.
    mutating func show(_ key: Key) -> [UInt8]? {
        if underWay[key] != nil { return nil }
        entries[key]?.isShown = true
        return entries[key]?.cells ?? []
    }

    mutating func note(missed key: Key) { missed.insert(key) }

    /// Notes that cells have arrived, or will not.
    /// - Returns: whether a screen showed them as loading.
    mutating func end(_ key: Key) -> Bool {
        underWay[key] = nil
        return missed.remove(key) != nil
    }

    mutating func forget(_ id: PluginID) {
        entries = entries.filter { $0.key.plugin != id }
        underWay = underWay.filter { $0.key.plugin != id }
        missed = missed.filter { $0.plugin != id }
    }

    /// Keeps the answer of a plugin.
    /// - Returns: the problem of the answer, as a sentence; nil if there is none.
    mutating func take(_ result: [UInt8], _ key: Key, _ manifest: Manifest, types: Set<String>, at now: Int) -> String?
    {
        let value = result.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
        var writer = JSONWriter(capacity: result.count + 64)
        var problem: String?
        var age = value["maxAge"].map { $0.double ?? .infinity } ?? Self.maxAge
        if value["cells"]?.array == nil { (problem, age) = ("detail.cells: the result has no cells.", 1) }
        for cell in value["cells"]?.array ?? [] {
            do throws(CellProblem) {
                try Self.adopted(cell, key.plugin, manifest, types).write(to: &writer)
            } catch {
                problem = "detail.cells: a cell was left out, because \(error.reason)."
            }
        }
        if entries.count >= Self.countMax, let oldest = entries.min(by: { $0.value.number < $1.value.number }) {
            entries[oldest.key] = nil
        }
        count += 1
        entries[key] = Entry(
            cells: Array(writer.buffer.bytes), end: now + Int(max(min(age, Self.maxAgeMax), 0) * 1000), number: count,
            showEnd: now + Self.showMilliseconds)
        return problem
    }

    private struct CellProblem: Error {
        let reason: String
    }

    /// A cell in the form of the screen: with `<id>/` before its id, and only permitted contents.
    private static func adopted(
        _ cell: JSONValue, _ id: PluginID, _ manifest: Manifest, _ types: Set<String>
    ) throws(CellProblem) -> JSONValue {
        guard let members = cell.object else { throw CellProblem(reason: "it is no object") }
        guard let type = cell["type"]?.string else { throw CellProblem(reason: "it has no type") }
        guard let name = cell["id"]?.string else { throw CellProblem(reason: "it has no id") }
        let isOwn = manifest.provides.cells.contains { "x.\(id).\($0.type)".utf8.elementsEqual(type.utf8) }
        guard isOwn || types.contains(type) else { throw CellProblem(reason: "there is no type of cell \(type)") }
        try check(cell, id, isOwn: isOwn)
        return .object(
            members.map { $0.name.utf8.elementsEqual("id".utf8) ? .init("id", .string("\(id)/\(name)")) : $0 })
    }

    /// Checks the actions in a value, and the addresses that a client opens. The validator bounds the depth, so this
    /// recursion is bounded too.
    /// - Parameter isOwn: whether it belongs to a cell whose other members only the plugin knows.
    private static func check(_ value: JSONValue, _ id: PluginID, isOwn: Bool) throws(CellProblem) {
        for element in value.array ?? [] { try check(element, id, isOwn: isOwn) }
        for member in value.object ?? [] {
            if member.name.utf8.elementsEqual("action".utf8) {
                let type = member.value["type"]?.string ?? ""
                if type.utf8.starts(with: "x.\(id).".utf8) { continue }
                guard type.utf8.elementsEqual("openURL".utf8) else {
                    throw CellProblem(reason: "the action \(type.prefix(64)) is not its own")
                }
                try check(address: member.value["url"], by: TextRule.linkProblem)
            } else {
                if !isOwn, member.name.utf8.elementsEqual("url".utf8) {
                    try check(address: member.value, by: TextRule.urlProblem)
                }
                try check(member.value, id, isOwn: isOwn)
            }
        }
    }

    private static func check(
        address: JSONValue?, by rule: (UnsafeRawBufferPointer) -> String?
    ) throws(CellProblem) {
        guard let text = address?.string else { throw CellProblem(reason: "its url is no text") }
        if let problem = Array(text.utf8).withUnsafeBytes(rule) {
            throw CellProblem(reason: "its url \(text.prefix(64)) \(problem)")
        }
    }
}
