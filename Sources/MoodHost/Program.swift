import JSONCodec
import MoodProtocol
import Platform

/// The program `moodboard`: what its command line asks for, and the one place where exit codes are decided.
public enum Program {
    /// The command line could not be understood. BSD sysexits, EX_USAGE.
    private static let exitUsage: Int32 = 64

    /// - Parameter arguments: without the program's name.
    /// - Returns: the exit code.
    public static func run(_ arguments: ProgramArguments) -> Int32 {
        switch HostCommandLine.read(arguments) {
        case .serve(let options):
            return Host.run(options)
        case .printHelp:
            StandardStreams.writeOutput(HostCommandLine.help)
            return 0
        case .printVersion:
            StandardStreams.writeOutput("moodboard \(Core.version) (protocol \(HostMethods.protocolVersion))\n")
            return 0
        case .printOpenRPC:
            StandardStreams.writeOutput(
                OpenRPC.document(of: MethodTable().all, version: Core.version).prettyText + "\n")
            return 0
        case .misuse(let problem):
            StandardStreams.writeError("moodboard: \(problem)\nTry moodboard --help.\n")
            return exitUsage
        }
    }
}
