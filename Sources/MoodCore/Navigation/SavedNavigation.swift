import JSONCodec

/// The file of routers that are saved by name: `navigation.json`, a JSON text that people can read and edit.
///
///     {"format":"moodboard-navigation","version":1,"states":{
///     "work":{"savedAt":"2026-01-02T03:04:05.678Z","path":[{"name":"crudList"},{"name":"moodDetail","id":"…"}]}
///     },"crc":"…"}
///
/// The store adds and removes the checksum.
///
/// The reader takes any layout. It keeps members that this version does not know. It also keeps unknown routes until
/// their state is saved again. Names are compared by their bytes.
public struct SavedNavigation: Sendable {
    /// The most states.
    public static let countMax = 1000
    /// The largest file. We write no larger one.
    public static let fileBytesMax = 16 << 20

    public typealias Damage = FileDamage

    /// The number of states is at its limit.
    public struct Full: Error {}

    /// A saved route, possibly of a kind that this version does not know.
    public enum SavedRoute: Sendable {
        case known(Route)
        case unknown(JSONValue)

        /// Writes `{name, id?}`.
        public func write(to writer: inout JSONWriter) {
            switch self {
            case .known(let route): route.write(to: &writer)
            case .unknown(let value): value.write(to: &writer)
            }
        }
    }

    private static let format = "moodboard-navigation"
    private static let version = 1

    /// Unknown members of the file.
    private var others: [JSONValue.Member] = []
    private var states: [JSONValue.Member] = []

    /// Makes an empty file.
    public init() {}

    /// Reads a file.
    public init(_ bytes: UnsafeRawBufferPointer) throws(Damage) {
        let value = try Damage.read(bytes, "saved navigation", format: Self.format, version: Self.version)
        guard let states = value["states"]?.object else { throw Damage(offset: 0, reason: "it has no states") }
        for state in states {
            if let reason = Self.problem(state.value) {
                throw Damage(offset: 0, reason: "the state \"\(state.name)\" \(reason)")
            }
        }
        self.states = states
        // A later member means that a version that does not know `crc` has written the file: drop the checksum.
        others = (value.object ?? []).filter { !["format", "version", "states", "crc"].contains($0.name) }
    }

    private static func problem(_ state: JSONValue) -> String? {
        guard let path = state["path"]?.array else { return "has no path" }
        if path.count > Router.depthMax { return "has more than \(Router.depthMax) routes" }
        return path.allSatisfy { $0["name"]?.string != nil } ? nil : "has a route without a name"
    }

    // MARK: States

    public var count: Int { states.count }

    /// The routes saved under a name; nil if there are none.
    public func path(_ name: String) -> [SavedRoute]? {
        states.first { Self.isSame($0.name, name) }?.value["path"]?.array?.map { value in
            let id = value["id"]?.string.flatMap { text in
                Array(text.utf8).withUnsafeBytes { MoodID($0) }
            }
            let hasID = value["id"] != nil
            guard let name = value["name"]?.string, !hasID || id != nil, let route = Route(name: name, id: id) else {
                return .unknown(value)
            }
            return .known(route)
        }
    }

    /// Saves routes under a name, in place of earlier ones.
    public mutating func save(_ path: [Route], as name: String, at moment: Timestamp) throws(Full) {
        let routes = path.map { route in
            JSONValue.object(
                [.init("name", .string("\(route.name)"))] + (route.id.map { [.init("id", .string($0.text))] } ?? []))
        }
        let own: [JSONValue.Member] = [.init("savedAt", .string(moment.text)), .init("path", .array(routes))]
        guard let place = states.firstIndex(where: { Self.isSame($0.name, name) }) else {
            guard states.count < Self.countMax else { throw Full() }
            return states.append(.init(name, .object(own)))
        }
        let kept = (states[place].value.object ?? []).filter { !["savedAt", "path"].contains($0.name) }
        states[place] = .init(name, .object(own + kept))
    }

    /// Compares bytes: names that merely look alike are different.
    private static func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

    /// Writes the file: a state on each line.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("format", Self.format)
        writer.member("version", Self.version)
        for member in others {
            writer.key(text: member.name)
            member.value.write(to: &writer)
        }
        writer.beginObject("states")
        for (place, state) in states.enumerated() {
            writer.buffer.append(place > 0 ? ",\n" : "\n" as StaticString)
            writer.key(text: state.name)
            state.value.write(to: &writer)
        }
        writer.buffer.append("\n" as StaticString)
        writer.endObject()
        writer.endObject()
        writer.buffer.append("\n" as StaticString)
    }
}
