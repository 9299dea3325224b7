import JSONCodec
import JSONRPC
import MoodProtocol

/// What a method does: it reads its arguments, changes the core, and writes its result. Whoever calls it ends or
/// abandons the commit that it opened.
typealias Handler = @Sendable (inout Core, borrowing Arguments, inout JSONWriter) throws(RPCError) -> Void

/// A method's name with its handler.
struct HandlerEntry: Sendable {
    let name: StaticString
    let handler: Handler

    init(_ name: StaticString, _ handler: @escaping Handler) {
        self.name = name
        self.handler = handler
    }
}

/// The methods of a session: each is made, and its handler looked up, when it is called for the first time.
///
/// Most processes are asked for a few methods and some for one, so the rest would be work for nothing before the first
/// answer.
///
/// Why unsafe memory: an array of optionals would be checked at each access on the way of every request. Proof: numbers
/// come from `MethodCatalogue.find`, which answers with none that is not below `count`.
struct CallableMethods: ~Copyable {
    /// What a call needs. A class, because a call passes it around: one reference instead of half a dozen.
    final class Entry {
        let method: Method
        let handler: Handler

        init(_ method: Method, _ handler: @escaping Handler) {
            self.method = method
            self.handler = handler
        }
    }

    private let catalogue: MethodCatalogue
    private let entries: UnsafeMutablePointer<Entry?>

    init(of catalogue: MethodCatalogue) {
        self.catalogue = catalogue
        entries = .allocate(capacity: catalogue.count)
        entries.initialize(repeating: nil, count: catalogue.count)
    }

    deinit {
        entries.deinitialize(count: catalogue.count)
        entries.deallocate()
    }

    subscript(number: Int) -> Entry {
        @inline(__always) get { entries[number] ?? make(number) }
    }

    @inline(never)
    private func make(_ number: Int) -> Entry {
        let method = catalogue.method(number)
        let entry = Entry(method, Self.handler(method.name).handler)
        entries[number] = entry
        return entry
    }

    private static func handler(_ name: StaticString) -> HandlerEntry {
        find(name, in: Core.hostHandlers) ?? find(name, in: Core.moodHandlers)
            ?? find(name, in: Core.actionHandlers) ?? find(name, in: Core.editorHandlers)
            ?? find(name, in: Core.navigationHandlers) ?? find(name, in: Core.storeHandlers)
            ?? find(name, in: Core.repairHandlers) ?? find(name, in: Core.eventHandlers) ?? missing
    }

    private static func find<let count: Int>(
        _ name: StaticString, in family: borrowing InlineArray<count, HandlerEntry>
    ) -> HandlerEntry? {
        let name = JSONText(name)
        let entries = family.span
        for number in entries.indices where name.equals(entries[number].name) { return entries[number] }
        return nil
    }

    /// A test makes sure that this is never reached.
    private static let missing = HandlerEntry("") { (_, _, _) throws(RPCError) in
        throw RPCError(.internalError, "This method is declared but not implemented.")
    }
}
