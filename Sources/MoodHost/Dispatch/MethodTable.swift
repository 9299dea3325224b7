import JSONCodec
import JSONRPC
import MoodProtocol

/// The methods that can be called: those of the program, and those that were added while it runs.
///
/// A name is found by its hash. A method of the program is made when it is called for the first time: most processes are
/// asked for a few and some for one, so the rest would be work for nothing before the first answer.
///
/// Why unsafe memory: to take one row out of an array copies it, and every request looks for a name. Proof: `slots` holds
/// numbers of rows below `count` alone, and both change in `add`, `remove` and `grow` only.
struct MethodTable: ~Copyable {
    /// What a call needs. A class, because a call passes it around: one reference instead of half a dozen.
    final class Entry {
        let method: Method
        /// What it does, where it is answered at once; it has a place of its own, because to take it out of an enum counts
        /// references.
        let now: Handler.Now
        let need: Need
        /// Whether that is all: its handler is called once what it needs is settled.
        let isPlain: Bool
        /// The body of a method whose answer comes later, and of one whose answer may.
        let later: Handler.Begin?
        let maybe: Handler.Maybe?
        let check: Handler.Check?
        let routes: Handler.Routes?

        init(
            _ method: Method, _ run: Handler.Run, _ need: Need = [], check: Handler.Check? = nil,
            routes: Handler.Routes? = nil
        ) {
            self.method = method
            (self.need, self.check, self.routes) = (need, check, routes)
            switch run {
            case .now(let handler): (now, maybe, later) = (handler, nil, nil)
            case .maybe(let handler): (now, maybe, later) = (Self.nothing, handler, nil)
            case .later(let begin): (now, maybe, later) = (Self.nothing, nil, begin)
            }
            isPlain = check == nil && routes == nil && maybe == nil && later == nil
        }

        /// Never called: the place of what is done at once, in a method of another kind.
        private static let nothing: Handler.Now = { (_, _, _, _) throws(RPCError) in }
    }

    private struct Row {
        let name: Name
        /// Of a method of the program; nil where `entry` was there from the beginning.
        let handler: Handler?
        var entry: Entry?
    }

    private static let none: Int32 = -1

    /// In the order of `rpc.discover`.
    private var rows: UnsafeMutablePointer<Row>
    private(set) var count = 0
    private var rowsMax: Int
    /// Open addressing by `hash`: numbers of rows, twice as many places as there may be rows, a power of two.
    private var slots: UnsafeMutablePointer<Int32>

    /// Those of methods and params that are not in the program.
    var names = KeptNames()

    /// The methods of the program.
    init() {
        rowsMax = 128
        rows = .allocate(capacity: rowsMax)
        slots = .allocate(capacity: 2 * rowsMax)
        slots.initialize(repeating: Self.none, count: 2 * rowsMax)
        add(Core.hostHandlers)
        add(Core.moodHandlers)
        add(Core.timeHandlers)
        add(Core.settingsHandlers)
        add(Core.lookingBackHandlers)
        add(Core.actionHandlers)
        add(Core.editorHandlers)
        add(Core.navigationHandlers)
        add(Core.eventHandlers)
        add(Core.storeHandlers)
        add(Core.transferHandlers)
        add(Core.repairHandlers)
        add(Core.pluginHandlers)
        add(Core.syncHandlers)
    }

    deinit {
        rows.deinitialize(count: count)
        rows.deallocate()
        slots.deallocate()
    }

    // MARK: Calling

    /// The method whose name is this text.
    @inline(__always)
    func find(_ name: JSONText) -> Entry? {
        name.isEscaped ? findEscaped(name) : find(bytes: name.raw)
    }

    @inline(never)
    private func findEscaped(_ name: JSONText) -> Entry? {
        name.withDecoded { find(bytes: $0) }
    }

    /// The method whose name has these bytes.
    @inline(__always)
    func find(bytes: UnsafeRawBufferPointer) -> Entry? {
        let number = slots[slot(of: bytes)]
        return number < 0 ? nil : entry(Int(number))
    }

    @inline(__always)
    private func entry(_ number: Int) -> Entry { rows[number].entry ?? make(number) }

    @inline(never)
    private func make(_ number: Int) -> Entry {
        // A row without an entry has a handler.
        guard let handler = rows[number].handler else { preconditionFailure("a method without what it does") }
        let entry = Entry(
            Method(handler.declaration()), handler.run, handler.need, check: handler.check, routes: handler.routes)
        rows[number].entry = entry
        return entry
    }

    /// All methods, in the order of `rpc.discover`.
    var all: [Method] { (0..<count).map { entry($0).method } }

    /// The names that a misspelt one was probably meant to be.
    func suggestions(for name: String) -> [String] {
        NearestNames.find(name, among: (0..<count).map { "\(rows[$0].name)" })
    }

    // MARK: Changing

    private mutating func add<let size: Int>(_ family: borrowing InlineArray<size, Handler>) {
        let handlers = family.span
        for number in handlers.indices {
            let handler = handlers[number]
            append(Row(name: Name(handler.declaration().name), handler: handler, entry: nil))
        }
    }

    /// Adds a method that is not in the program; from now on it is called like any other.
    /// - Returns: false, and nothing done, where there is one of this name.
    mutating func add(_ method: Method, _ run: Handler.Run) -> Bool {
        guard slots[slot(of: method.name.bytes)] < 0 else { return false }
        append(Row(name: method.name, handler: nil, entry: Entry(method, run)))
        return true
    }

    /// Takes away a method that was added. A call of it that is under way keeps what it needs.
    /// - Returns: false, and nothing done, where there is none, or the program's own has this name.
    mutating func remove(_ name: Name) -> Bool {
        let number = Int(slots[slot(of: name.bytes)])
        guard number >= 0, rows[number].handler == nil else { return false }
        (rows + number).deinitialize(count: 1)
        (rows + number).moveInitialize(from: rows + number + 1, count: count - number - 1)
        count -= 1
        fillSlots()
        return true
    }

    private mutating func append(_ row: consuming Row) {
        if count == rowsMax { grow() }
        let place = slot(of: row.name.bytes)
        (rows + count).initialize(to: row)
        slots[place] = Int32(truncatingIfNeeded: count)
        count += 1
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Row>.allocate(capacity: 2 * rowsMax)
        larger.moveInitialize(from: rows, count: count)
        rows.deallocate()
        rows = larger
        slots.deallocate()
        rowsMax *= 2
        slots = .allocate(capacity: 2 * rowsMax)
        fillSlots()
    }

    private mutating func fillSlots() {
        slots.initialize(repeating: Self.none, count: 2 * rowsMax)
        for number in 0..<count { slots[slot(of: rows[number].name.bytes)] = Int32(truncatingIfNeeded: number) }
    }

    /// The place of a name, or the free one where it would be.
    @inline(__always)
    private func slot(of name: UnsafeRawBufferPointer) -> Int {
        let mask = 2 &* rowsMax &- 1
        var at = Self.hash(name) & mask
        while slots[at] >= 0, !JSONText.sameBytes(rows[Int(slots[at])].name.bytes, name) { at = (at + 1) & mask }
        return at
    }

    /// Names come from the program and from plugins that a person has trusted, so no key is needed; a peer's name is only
    /// looked up, never put in.
    @inline(__always)
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var word = UInt64(truncatingIfNeeded: bytes.count)
        if bytes.count >= 8 {
            // Methods of a family differ at their ends.
            word ^= bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        } else {
            for byte in bytes { word = word << 8 ^ UInt64(byte) }
        }
        return Int(truncatingIfNeeded: (word &* 0x9e37_79b9_7f4a_7c15) >> 40)
    }
}
