import Platform

/// A program under test on its stdio. Its descriptors do not block; -1 is a closed one.
protocol ProcessUnderTest: AnyObject {
    /// The descriptor of its stdin.
    var input: Int32 { get }
    /// The descriptor of its stdout.
    var output: Int32 { get }
    /// The descriptor of its stderr, if that comes to us.
    var errors: Int32 { get }
    func closeInput()
    func closeOutput()
    func closeErrors()
    /// Sends SIGTERM.
    func terminate()
    /// Kills it and all processes known to belong to it.
    func kill()
    /// The exit status; nil while it runs. Does not wait.
    func ending() -> ChildProcess.Status?
}

/// A plugin under a keeper, as in a host.
final class PluginUnderTest: ProcessUnderTest {
    private var process: KeptProcess
    private var status: ChildProcess.Status?
    /// The reason why it was not started.
    private(set) var refusal: String?

    init(_ plan: KeptProcess.Plan) throws(SystemError) { process = try KeptProcess.start(plan) }

    var input: Int32 { process.input }
    var output: Int32 { process.output }
    var errors: Int32 { process.errors }
    func closeInput() { process.closeInput() }
    func closeOutput() { process.closeOutput() }
    func closeErrors() { process.closeErrors() }
    func terminate() { process.terminate() }
    func kill() { process.kill() }

    func ending() -> ChildProcess.Status? {
        while status == nil, let report = process.readReport() {
            switch report {
            case .started: break
            case .refused(let reason):
                refusal = reason
                status = .exited(127)
            case .ended(let ending): status = ending
            }
        }
        return status
    }
}

/// A host under test.
final class HostUnderTest: ProcessUnderTest {
    private var process: ChildProcess

    /// - Parameter isDeafened: whether it starts with blocked signals, as below some parents.
    init(path: String, arguments: [String], errors: ChildProcess.Errors, isDeafened: Bool = false) throws(SystemError) {
        process = try ChildProcess.start(
            path: path, arguments: arguments, output: .pipe, errors: errors, isDeafened: isDeafened)
        process.stopWaiting()
    }

    var input: Int32 { process.input }
    var output: Int32 { process.output }
    var errors: Int32 { -1 }
    func closeInput() { process.closeInput() }
    func closeOutput() { process.closeOutput() }
    func closeErrors() {}
    func terminate() { process.terminate() }
    func send(_ signal: ChildProcess.EndingSignal) { process.send(signal) }
    func kill() { process.kill() }
    func ending() -> ChildProcess.Status? { process.hasEnded() ? process.status ?? .exited(0) : nil }
}
