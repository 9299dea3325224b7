import JSONCodec

/// All methods, and the way from a name's bytes to one.
///
/// It knows the names; what a method takes and answers is evaluated when `method` or `methods` asks for it.
///
/// A class, because a look-up must not copy the tables.
///
/// Why unsafe memory: to take one declaration out of an inline array copies them all, and every request compares a name.
/// Proof: numbers in `table` are those of the loop that fills both.
public final class MethodCatalogue: Sendable {
    public static let protocolVersion = "1.0"

    public static let standard = MethodCatalogue()

    /// In the order of `rpc.discover`.
    ///
    /// Inline, here and below, because that is data of the program, ready when it starts: an array is made when it is
    /// first used, and the first array of a type makes the runtime put that type together.
    private static let declarations: InlineArray<_, MethodDeclaration> = [
        HostMethods.info, HostMethods.ping, HostMethods.shutdown, HostMethods.discover,
        MoodMethods.create, MoodMethods.get, MoodMethods.list, MoodMethods.update, MoodMethods.updateMany,
        MoodMethods.delete, MoodMethods.deleteMany, MoodMethods.clear, MoodMethods.setFavorite,
        MoodMethods.toggleFavorite, MoodMethods.setNotes, MoodMethods.history, MoodMethods.share,
        MoodMethods.detail, ActionMethods.perform,
        EditorMethods.begin, EditorMethods.set, EditorMethods.selectEmoji, EditorMethods.cancel, EditorMethods.state,
        EditorMethods.submit,
        NavigationMethods.state, NavigationMethods.navigate, NavigationMethods.replace, NavigationMethods.goBack,
        NavigationMethods.goBackToRoot, NavigationMethods.open, NavigationMethods.url, NavigationMethods.menu,
        NavigationMethods.screen, NavigationMethods.log, NavigationMethods.save, NavigationMethods.restore,
        EventMethods.subscribe, EventMethods.unsubscribe,
        StoreMethods.info, StoreMethods.insertSamples, StoreMethods.undo, StoreMethods.redo, StoreMethods.compact,
        StoreMethods.verify, StoreMethods.salvage, StoreMethods.accept, StoreMethods.reset,
    ]

    /// Open addressing by `hash`; -1 is empty.
    private let table: InlineArray<256, Int8>
    /// By number; written once, below, so that threads may share it.
    nonisolated(unsafe) private let names: UnsafeMutablePointer<StaticString>

    private init() {
        let declarations = Self.declarations.span
        var table = InlineArray<256, Int8>(repeating: -1)
        names = .allocate(capacity: declarations.count)
        for number in declarations.indices {
            let name = declarations[number].name
            (names + number).initialize(to: name)
            var at = Self.hash(JSONText(name).raw)
            while table[at] >= 0 { at = (at + 1) & 255 }
            table[at] = Int8(truncatingIfNeeded: number)
        }
        self.table = table
    }

    deinit { names.deallocate() }

    public var count: Int { Self.declarations.count }

    /// The method of this number, evaluated anew: whoever calls it often keeps it.
    public func method(_ number: Int) -> Method { Method(Self.declarations[number]) }

    /// All of them, evaluated anew.
    public var methods: [Method] { Self.declarations.indices.map(method) }

    /// The number of the method of this name, or nil.
    public func find(_ name: JSONText) -> Int? {
        if name.isEscaped { return name.withDecoded { find(bytes: $0) } }
        return find(bytes: name.raw)
    }

    /// The number of the method whose name has these bytes, or nil.
    @inline(__always)
    public func find(bytes: UnsafeRawBufferPointer) -> Int? {
        var at = Self.hash(bytes)
        while true {
            let number = Int(table[at])
            if number < 0 { return nil }
            if JSONText(raw: bytes, isEscaped: false).equals(names[number]) { return number }
            at = (at + 1) & 255
        }
    }

    /// The names that a misspelt one was probably meant to be.
    public func suggestions(for name: String) -> [String] {
        NearestNames.find(name, among: Self.declarations.indices.map { "\(names[$0])" })
    }

    /// The names are ours and few, so no key is needed; a peer's name is only looked up, never put in.
    @inline(__always)
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var word = UInt64(truncatingIfNeeded: bytes.count)
        if bytes.count >= 8 {
            // Methods of a family differ at their ends.
            word ^= bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        } else {
            for byte in bytes { word = word << 8 ^ UInt64(byte) }
        }
        return Int(truncatingIfNeeded: (word &* 0x9e37_79b9_7f4a_7c15) >> 56)
    }
}
