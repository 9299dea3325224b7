import JSONCodec
import JSONRPC
import MoodProtocol

/// The methods that callers can call: those of the program, and those added while it runs.
///
/// The table finds a name by its hash. It makes an entry at the first call, because most processes call few methods.
///
/// Why unsafe memory: taking one row out of an array copies it, and every request looks up a name. Proof: `slots` holds
/// numbers of rows below `count` alone, and both change in `add`, `remove` and `grow` only.
struct MethodTable: ~Copyable {
    /// Everything that a call needs. A class, so that passing it around costs one reference instead of half a dozen.
    final class Entry {
        let method: Method
        /// The permission that its caller needs.
        let permission: Permissions
        /// The body of a method that answers immediately. A member of its own, because taking it out of an enum counts
        /// references.
        let now: Handler.Now
        let need: Need
        /// Whether a call needs nothing but `need` and `now`, or `maybe`.
        let isPlain: Bool
        /// The bodies of a method that answers later, and of one that may.
        let later: Handler.Begin?
        let maybe: Handler.Maybe?
        let check: Handler.Check?
        let routes: Handler.Routes?

        init(
            _ method: Method, _ run: Handler.Run, _ need: Need = [], check: Handler.Check? = nil,
            routes: Handler.Routes? = nil
        ) {
            self.method = method
            permission = Permissions(method.permission)
            (self.need, self.check, self.routes) = (need, check, routes)
            switch run {
            case .now(let handler): (now, maybe, later) = (handler, nil, nil)
            case .maybe(let handler): (now, maybe, later) = (Self.nothing, handler, nil)
            case .later(let begin): (now, maybe, later) = (Self.nothing, nil, begin)
            }
            isPlain = check == nil && routes == nil && later == nil
        }

        /// Never called: a placeholder for methods of other kinds.
        private static let nothing: Handler.Now = { (_, _, _, _) in }
    }

    private struct Row {
        let name: Name
        /// The handler of a method of the program; nil for an added method.
        let handler: Handler?
        var entry: Entry?
        /// That entry, uncounted, if the row stays as long as the table.
        var ownEntry: Unmanaged<Entry>?

        init(name: Name, handler: Handler?, entry: Entry?) {
            (self.name, self.handler, self.entry) = (name, handler, entry)
        }
    }

    private static let none: Int32 = -1

    /// Rows in the order of `rpc.discover`.
    private var rows: UnsafeMutablePointer<Row>
    private(set) var count = 0
    private var rowsMax: Int
    /// Open addressing by `hash`: numbers of rows, twice as many places as rows, a power of two.
    private var slots: UnsafeMutablePointer<Int32>

    /// The names of added methods and params.
    var names = KeptNames()

    /// A table of the program's methods.
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

    /// The method of the program whose name is this text, uncounted: to count references costs a request more than to find it. It
    /// lives as long as the table.
    @inline(__always)
    func findOwn(_ name: JSONText) -> Unmanaged<Entry>? {
        if name.isEscaped { return nil }
        let number = Int(slots[slot(of: name.raw)])
        return number < 0 ? nil : rows[number].ownEntry ?? makeOwn(number)
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
        rows[number].ownEntry = .passUnretained(entry)
        return entry
    }

    @inline(never)
    private func makeOwn(_ number: Int) -> Unmanaged<Entry>? {
        if rows[number].handler == nil { return nil }
        return .passUnretained(entry(number))
    }

    /// All methods, in the order of `rpc.discover`.
    var all: [Method] { (0..<count).map { entry($0).method } }

    /// The names that a misspelled one probably meant.
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

    /// Adds a method that is not in the program.
    /// - Returns: false without any change if the name is taken.
    mutating func add(_ method: Method, _ run: Handler.Run) -> Bool {
        guard slots[slot(of: method.name.bytes)] < 0 else { return false }
        append(Row(name: method.name, handler: nil, entry: Entry(method, run)))
        return true
    }

    /// Removes an added method. A call that is under way keeps its entry.
    /// - Returns: false without any change if there is none, or if it belongs to the program.
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

    /// The slot of a name, or the free one for it.
    @inline(__always)
    private func slot(of name: UnsafeRawBufferPointer) -> Int {
        let mask = 2 &* rowsMax &- 1
        var at = Self.hash(name) & mask
        while slots[at] >= 0, !JSONText.sameBytes(rows[Int(slots[at])].name.bytes, name) { at = (at + 1) & mask }
        return at
    }

    /// A hash without a key: names come from the program and from trusted plugins. A peer's name is only looked up,
    /// never stored.
    @inline(__always)
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var word = UInt64(truncatingIfNeeded: bytes.count)
        if bytes.count >= 8 {
            // The names of a family differ at their ends.
            word ^= bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        } else {
            for byte in bytes { word = word << 8 ^ UInt64(byte) }
        }
        return Int(truncatingIfNeeded: (word &* 0x9e37_79b9_7f4a_7c15) >> 40)
    }
}
