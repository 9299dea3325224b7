import CPlatform

/// A pipe whose ends no child process inherits.
enum Pipe {
    static func make() throws(SystemError) -> (readEnd: Int32, writeEnd: Int32) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) { pipe($0.assumingMemoryBound(to: Int32.self).baseAddress) }
        guard result == 0 else { throw SystemError(call: "pipe", code: cplatform_errno()) }
        for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }
}
