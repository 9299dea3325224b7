import Platform

/// Runs `git` in a working copy, without a shell, without hooks, and without asking anybody for anything.
struct GitCommand: Sendable {
    let path: String
    let remote: String

    struct Answer {
        let isDone: Bool
        let output: String
        /// Of `rev-parse --git-dir`: whether the working copy is a repository of its own, and not a folder in one.
        var isOwn: Bool { isDone && output.utf8.elementsEqual(".git".utf8) }
    }

    /// What no setting of the user or of the repository may change.
    private static let settings = [
        "core.hooksPath=/dev/null", "core.symlinks=false", "core.autocrlf=false", "core.fsmonitor=false",
        "commit.gpgsign=false", "user.name=moodboard", "user.email=moodboard@localhost", "protocol.ext.allow=never",
        "credential.interactive=false", "merge.ours.driver=true", "http.lowSpeedLimit=1", "http.lowSpeedTime=30",
        "advice.detachedHead=false",
    ]
    private static let environment = [
        "GIT_ALLOW_PROTOCOL=file:git:ssh:https", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=",
        "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0",
    ]
    private static let unset = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"]
    private static let outputBytesMax = 64 << 10

    /// - Throws: where git cannot be run at all.
    func run(_ words: [String]) throws(SyncError) -> Answer {
        var arguments = Self.unset.flatMap { ["-u", $0] } + Self.environment
        // A question of ssh would wait for ever; a person's own command is theirs.
        if ProcessFacts.environment("GIT_SSH_COMMAND") == nil {
            arguments.append("GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout=15 -oServerAliveInterval=15")
        }
        arguments += ["git", "-C", path] + Self.settings.flatMap { ["-c", $0] } + words
        let output: String
        let status: ChildProcess.Status?
        do throws(SystemError) {
            var child = try ChildProcess.start(path: "/usr/bin/env", arguments: arguments, output: .pipeWithErrors)
            child.closeInput()
            output = try Self.read(child)
            status = child.wait()
        } catch {
            throw .refused(reason: "git cannot be run: \(error).")
        }
        if status == .exited(127) { throw .refused(reason: "git is not installed, or not on the path.") }
        return Answer(isDone: status == .exited(0), output: output)
    }

    private static func read(_ child: borrowing ChildProcess) throws(SystemError) -> String {
        var bytes: [UInt8] = []
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
        defer { room.deallocate() }
        while true {
            let count = try child.read(into: room)
            guard count > 0 else { break }
            if bytes.count < outputBytesMax { bytes += room[..<count] }
        }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What has to work here.
    func need(_ words: [String]) throws(SyncError) {
        let answer = try run(words)
        if answer.isDone { return }
        throw .refused(reason: "git \(words.first ?? "") failed: \(shown(answer.output))")
    }

    /// What needs the other side.
    func reach(_ words: [String]) throws(SyncError) -> String {
        let answer = try run(words)
        if answer.isDone { return answer.output }
        throw .offline(reason: "git \(words.first ?? ""): \(shown(answer.output))")
    }

    /// What git said, in one line and without the password of the url.
    func shown(_ output: String) -> String {
        let secret = SyncURL.shown("git+" + remote).dropFirst(4)
        var text = output.split(whereSeparator: \.isNewline).prefix(4).joined(separator: " ")
        if remote != secret { text = text.replacing(remote, with: String(secret)) }
        return String(text.prefix(400))
    }
}
