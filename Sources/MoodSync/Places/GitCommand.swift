import Platform

/// Runs `git` in a working copy, without a shell, hooks or prompts. Of the user's git settings only those for reaching
/// remotes apply.
struct GitCommand: Sendable {
    let path: String
    let remote: String
    let isCancelled: @Sendable () -> Bool
    /// The user's settings for reaching remotes: `name=value`.
    var reaching: [String] = []

    struct Answer {
        let isDone: Bool
        let output: String
        /// For `rev-parse --git-dir`: whether the working copy is a repository of its own, not a folder in one.
        var isOwn: Bool { isDone && output.utf8.elementsEqual(".git".utf8) }
    }

    /// Settings that the repository must not change.
    private static let settings = [
        "core.hooksPath=/dev/null", "core.symlinks=false", "core.autocrlf=false", "core.eol=lf", "core.safecrlf=false",
        "core.excludesFile=/dev/null", "core.attributesFile=/dev/null", "core.fsmonitor=false",
        "core.sparseCheckout=false",
        "core.fileMode=false", "core.commentChar=#", "commit.gpgsign=false", "push.gpgSign=false", "merge.ff=true",
        "merge.verifySignatures=false", "merge.renames=false", "submodule.recurse=false", "gc.auto=0",
        "maintenance.auto=false", "user.name=moodboard", "user.email=moodboard@localhost", "protocol.ext.allow=never",
        "credential.interactive=false", "merge.ours.driver=true", "http.lowSpeedLimit=1", "http.lowSpeedTime=30",
        "advice.detachedHead=false",
    ]
    /// The names of the user's settings that apply.
    private static let reachingNames =
        "^(credential\\..*|http\\..*|https\\..*|url\\..*\\.(insteadof|pushinsteadof)|core\\.(sshcommand|gitproxy)|ssh\\.variant)$"
    private static let environment = [
        "GIT_ALLOW_PROTOCOL=file:git:ssh:https", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=",
        "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0",
    ]
    /// Turns off the user's settings files.
    private static let ownSettings = [
        "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_TEMPLATE_DIR=",
    ]
    private static let unset = [
        "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_ATTR_SOURCE", "GIT_LITERAL_PATHSPECS", "GIT_CEILING_DIRECTORIES",
    ]
    private static let unsetSettings = ["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG"]
    /// The time for one command: a first fetch of everything over a slow line may take long.
    private static let milliseconds = 1_800_000

    /// Reads the user's settings for reaching remotes: credentials, proxies, the ssh command, other urls.
    mutating func readReaching() throws(SyncError) {
        let words = ["-C", "/", "config", "--null", "--get-regexp", Self.reachingNames]
        let answer = try start(Self.unset.flatMap { ["-u", $0] } + Self.environment + ["git"] + words)
        guard answer.isDone else { return }
        reaching = answer.output.split(separator: "\0").map { entry in
            let parts = entry.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? "\(parts[0])=\(parts[1])" : String(parts[0])
        }
    }

    /// - Throws: an error if git cannot be started.
    func run(_ words: [String]) throws(SyncError) -> Answer {
        var arguments = (Self.unset + Self.unsetSettings).flatMap { ["-u", $0] } + Self.environment + Self.ownSettings
        // A prompt of ssh would block forever. A command of the user's own is not changed.
        if ProcessFacts.environment("GIT_SSH_COMMAND") == nil,
            !reaching.contains(where: { $0.hasPrefix("core.sshcommand") })
        {
            arguments.append("GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout=15 -oServerAliveInterval=15")
        }
        arguments += ["git", "-C", path] + (reaching + Self.settings).flatMap { ["-c", $0] } + words
        return try start(arguments)
    }

    private func start(_ arguments: [String]) throws(SyncError) -> Answer {
        let program = AwaitedProgram(
            words: arguments, milliseconds: Self.milliseconds, isWhole: true, isCancelled: isCancelled)
        let (status, output): (ChildProcess.Status?, [UInt8])
        do throws(AwaitedProgram.Failure) { (status, output) = try program.run() } catch {
            switch error {
            case .notStarted(let error): throw .refused(reason: "git cannot be run: \(error).")
            case .unfinished:
                throw .offline(reason: "git did not come to its end within \(Self.milliseconds / 60_000) minutes.")
            case .cancelled: throw .cancelled
            }
        }
        if status == .exited(127) { throw .refused(reason: "git is not installed, or not on the path.") }
        let text = output.prefix((output.lastIndex { $0 > 0x20 } ?? -1) + 1)
        return Answer(isDone: status == .exited(0), output: String(decoding: text, as: UTF8.self))
    }

    /// Waits before another attempt.
    func pause(milliseconds: Int) throws(SyncError) {
        let end = Clock.monotonicMilliseconds + milliseconds
        while true {
            if isCancelled() { throw .cancelled }
            let left = end - Clock.monotonicMilliseconds
            if left <= 0 { return }
            Clock.sleep(milliseconds: min(left, AwaitedProgram.lookMilliseconds))
        }
    }

    /// Runs a command that must succeed.
    func need(_ words: [String]) throws(SyncError) {
        let answer = try run(words)
        if answer.isDone { return }
        throw .refused(reason: "git \(words.first ?? "") failed: \(shown(answer.output))")
    }

    /// Runs a command that needs the other side.
    func reach(_ words: [String]) throws(SyncError) -> String {
        let answer = try run(words)
        if answer.isDone { return answer.output }
        throw .offline(reason: "git \(words.first ?? ""): \(shown(answer.output))")
    }

    /// The output of git, on one line and without the password of the url.
    func shown(_ output: String) -> String {
        let secret = SyncURL.shown("git+" + remote).dropFirst(4)
        var text = output.split(whereSeparator: \.isNewline).prefix(4).joined(separator: " ")
        if remote != secret { text = text.replacing(remote, with: String(secret)) }
        return String(text.prefix(400))
    }
}
