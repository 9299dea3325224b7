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

/// The handlers in the order of the catalogue.
struct Handlers: Sendable {
    // Entries, not bare closures: a closure in a generic collection is wrapped in thunks, which every call passes.
    private let handlers: [HandlerEntry]

    init(for catalogue: MethodCatalogue) {
        let families = [
            Core.hostHandlers, Core.moodHandlers, Core.navigationHandlers, Core.storeHandlers, Core.repairHandlers,
        ]
        handlers = catalogue.methods.map { Self.find($0.name, in: families) }
    }

    /// A search through all of them, because a dictionary costs more at the start than it saves: the first use of one
    /// makes the runtime look through the program for what its keys can do.
    private static func find(_ name: StaticString, in families: [[HandlerEntry]]) -> HandlerEntry {
        let name = JSONText(name)
        for family in families {
            for entry in family where name.equals(entry.name) { return entry }
        }
        return missing
    }

    /// A test makes sure that this is never reached.
    private static let missing = HandlerEntry("") { (_, _, _) throws(RPCError) in
        throw RPCError(.internalError, "This method is declared but not implemented.")
    }

    @inline(__always)
    subscript(method: Int) -> Handler { handlers[method].handler }
}
