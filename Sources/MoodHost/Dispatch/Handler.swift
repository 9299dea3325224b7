import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol

/// A declared method with what it does: the one place where the two come together.
///
///     Handler(MoodMethods.get, .reads, { (core, _, arguments, out) throws(RPCError) in try core.get(arguments, &out) })
///
/// Constant data, as its declaration is: nothing is evaluated before the method is called.
struct Handler: Sendable {
    /// Looks at the arguments before the store is touched: what is wrong with them is told whatever the store is like.
    /// - Returns: what the request needs besides what its method always does.
    typealias Check = @Sendable (inout Core, borrowing Request, borrowing Arguments) throws(RPCError) -> Need

    /// The routes that a request would show, and the router of each: guards and hooks are asked about them first.
    typealias Routes =
        @Sendable (inout Core, borrowing Arguments) throws(RPCError) -> [(route: Route, router: String)]

    /// The body of a method: it reads its arguments, changes the core, and writes its result. The dispatcher ends or abandons
    /// the commit that it opened.
    typealias Now =
        @Sendable (inout Core, borrowing Request, borrowing Arguments, inout JSONWriter) throws(RPCError) -> Void

    /// The same where the answer may come later: then it has written nothing and returns the work.
    typealias Maybe =
        @Sendable (inout Core, borrowing Request, borrowing Arguments, inout JSONWriter) throws(RPCError) -> (
            any LaterWork
        )?

    /// What a method does whose answer comes later: it reads its arguments, and leaves the rest to others.
    typealias Begin = @Sendable (inout Core, borrowing Request, borrowing Arguments) throws(RPCError) -> any LaterWork

    /// When the method is answered.
    enum Run: Sendable {
        case now(Now)
        case maybe(Maybe)
        case later(Begin)
    }

    let declaration: @Sendable () -> MethodDeclaration
    let need: Need
    let check: Check?
    let routes: Routes?
    let run: Run

    init(
        _ declaration: @autoclosure @escaping @Sendable () -> MethodDeclaration, _ need: Need,
        check: Check? = nil, routes: Routes? = nil, _ now: @escaping Now
    ) {
        (self.declaration, self.need, self.check, self.routes) = (declaration, need, check, routes)
        run = .now(now)
    }

    /// A method that needs no store.
    init(
        _ declaration: @autoclosure @escaping @Sendable () -> MethodDeclaration, check: Check? = nil,
        routes: Routes? = nil, _ now: @escaping Now
    ) {
        (self.declaration, need, self.check, self.routes) = (declaration, [], check, routes)
        run = .now(now)
    }

    init(
        _ declaration: @autoclosure @escaping @Sendable () -> MethodDeclaration, _ need: Need = [],
        check: Check? = nil, routes: Routes? = nil, maybe: @escaping Maybe
    ) {
        (self.declaration, self.need, self.check, self.routes) = (declaration, need, check, routes)
        run = .maybe(maybe)
    }

    init(
        _ declaration: @autoclosure @escaping @Sendable () -> MethodDeclaration, _ need: Need = [],
        check: Check? = nil, later begin: @escaping Begin
    ) {
        (self.declaration, self.need, self.check, routes) = (declaration, need, check, nil)
        run = .later(begin)
    }
}

/// The needs of a method, met before it begins. A request that has to wait for it has not begun.
struct Need: OptionSet, Sendable {
    let rawValue: UInt8
    /// The store is open.
    static let reads = Need(rawValue: 1)
    /// It can be written, too. Where there is none, the request is tried on an empty one in memory first.
    static let changes = Need(rawValue: 2)
    /// A store that is there can be written; without one there is nothing to do.
    static let tidies = Need(rawValue: 4)
    /// There is a store: where there was none, one is made.
    static let makes = Need(rawValue: 8)
    /// The helper thread is not at work on its files.
    static let idle = Need(rawValue: 16)
    /// The store need not be one that can be opened; what takes long to open is waited for.
    static let tolerates = Need(rawValue: 32)
}
