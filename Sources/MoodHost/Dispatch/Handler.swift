import JSONCodec
import JSONRPC
import MoodProtocol

/// A declared method with what it does: the one place where the two come together.
///
///     Handler(MoodMethods.get, { (core, _, arguments, out) throws(RPCError) in try core.get(arguments, &out) })
///
/// Constant data, as its declaration is: nothing is evaluated before the method is called.
struct Handler: Sendable {
    /// What a method does: it reads its arguments, changes the core, and writes its result. Who calls it ends or abandons
    /// the commit that it opened.
    typealias Now =
        @Sendable (inout Core, borrowing Request, borrowing Arguments, inout JSONWriter) throws(RPCError) -> Void

    /// What a method does whose answer comes later: it reads its arguments, and leaves the rest to others.
    typealias Begin = @Sendable (inout Core, borrowing Request, borrowing Arguments) throws(RPCError) -> any LaterWork

    /// When the method is answered.
    enum Run: Sendable {
        case now(Now)
        case later(Begin)
    }

    let declaration: @Sendable () -> MethodDeclaration
    let run: Run

    init(_ declaration: @autoclosure @escaping @Sendable () -> MethodDeclaration, _ now: @escaping Now) {
        self.declaration = declaration
        run = .now(now)
    }

    init(_ declaration: @autoclosure @escaping @Sendable () -> MethodDeclaration, later begin: @escaping Begin) {
        self.declaration = declaration
        run = .later(begin)
    }
}
