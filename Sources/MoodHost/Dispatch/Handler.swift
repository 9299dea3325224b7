import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol

/// A declared method with its body: the one place that joins the two.
///
///     Handler(MoodMethods.get, .reads, { try $0.get($2, &$3) })
///
/// Constant data, like the declaration: nothing is evaluated before the first call.
struct Handler: Sendable {
    /// Checks the arguments before the store is used, so that their errors do not depend on the store.
    /// - Returns: the needs of the request beyond those of its method.
    typealias Check = @Sendable (inout Core, borrowing Request, borrowing Arguments) throws -> Need

    /// The routes that a request would show, and the router of each. Guards and hooks are asked about them first.
    typealias Routes =
        @Sendable (inout Core, borrowing Arguments) throws -> [(route: Route, router: String)]

    /// The body of a method: it reads its arguments, changes the core, and writes its result. The dispatcher ends or
    /// reverts its commit.
    typealias Now =
        @Sendable (inout Core, borrowing Request, borrowing Arguments, inout JSONWriter) throws -> Void

    /// A body that may answer later: then it writes nothing and returns the work.
    typealias Maybe =
        @Sendable (inout Core, borrowing Request, borrowing Arguments, inout JSONWriter) throws -> (
            any LaterWork
        )?

    /// A body that always answers later: it reads its arguments and returns the work.
    typealias Begin = @Sendable (inout Core, borrowing Request, borrowing Arguments) throws -> any LaterWork

    /// The time at which the method answers.
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

/// The needs of a method, met before it begins.
struct Need: OptionSet, Sendable {
    let rawValue: UInt8
    /// The store is open.
    static let reads = Need(rawValue: 1)
    /// The store can be written. If there is none, the first commit makes it.
    static let changes = Need(rawValue: 2)
    /// An existing store can be written; without one there is nothing to do.
    static let tidies = Need(rawValue: 4)
    /// There is a store; if there was none, it was made.
    static let makes = Need(rawValue: 8)
    /// The helper thread does not work on the store's files.
    static let idle = Need(rawValue: 16)
    /// The store may be unusable. The request still waits for a slow opening.
    static let tolerates = Need(rawValue: 32)
    /// All commits before it are durable, because it works from the files, or cannot be taken back. Else a failed sync would have
    /// requests answered again whose changes are durable.
    static let durable = Need(rawValue: 64)
    /// No earlier setup or leave of the sync is under way.
    static let settled = Need(rawValue: 128)
}
