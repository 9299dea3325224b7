import JSONCodec
import JSONRPC
import MoodProtocol

/// A declared method with what it does: the one place where the two come together.
///
///     Handler(MoodMethods.get, { (core, arguments, out) throws(RPCError) in try core.get(arguments, &out) })
///
/// Constant data, as its declaration is: nothing is evaluated before the method is called.
struct Handler: Sendable {
    /// What a method does: it reads its arguments, changes the core, and writes its result. Who calls it ends or abandons
    /// the commit that it opened.
    typealias Run = @Sendable (inout Core, borrowing Arguments, inout JSONWriter) throws(RPCError) -> Void

    let declaration: @Sendable () -> MethodDeclaration
    let run: Run

    init(_ declaration: @autoclosure @escaping @Sendable () -> MethodDeclaration, _ run: @escaping Run) {
        self.declaration = declaration
        self.run = run
    }
}
