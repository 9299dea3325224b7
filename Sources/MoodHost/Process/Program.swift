import JSONCodec
import MoodProtocol
import Platform
import Versions

/// The program `moodboard`: it carries out its command line. The one place that decides exit codes.
public enum Program {
    /// The exit code of an invalid command line. BSD sysexits, EX_USAGE.
    private static let exitUsage: Int32 = 64
    /// The exit code if the client did not read all answers. EX_TEMPFAIL.
    static let exitUnread: Int32 = 75

    /// The exit code if the system refuses something that every host needs. EX_OSERR.
    private static let exitSystem: Int32 = 71

    /// - Parameter arguments: without the program's name.
    /// - Returns: the exit code.
    public static func run(_ arguments: ProgramArguments) -> Int32 {
        switch arguments.fault.map(HostCommandLine.refusal(of:)) ?? HostCommandLine.read(arguments) {
        case .serve(let options):
            return serve(options)
        case .syncOnce(let options):
            return Host.syncOnce(options)
        case .printHelp:
            StandardStreams.writeOutput(HostCommandLine.help)
            return 0
        case .printVersion:
            StandardStreams.writeOutput(Version.line(of: "moodboard"))
            return 0
        case .printOpenRPC:
            StandardStreams.writeOutput(
                OpenRPC.document(of: MethodTable().all, version: Version.program).prettyText + "\n")
            return 0
        case .misuse(let problem):
            StandardStreams.writeError("moodboard: \(problem)\nTry moodboard --help.\n")
            return exitUsage
        }
    }
    private static func serve(_ options: HostOptions) -> Int32 {
        do throws(SystemError) {
            switch try Host.run(options) {
            case .complete, .dismissed: return 0
            case .unread:
                StandardStreams.writeError("moodboard: the client did not take all of its answers.\n")
                return exitUnread
            }
        } catch {
            StandardStreams.writeError("moodboard: it cannot start, because \(advice(on: error))\n")
            return exitSystem
        }
    }

    private static func advice(on error: SystemError) -> String {
        error.isTooManyFiles
            ? "this process may open too few files (\(error)). Allow it more (ulimit -n)."
            : "a system call failed: \(error)."
    }
}
