import CPlatform

extension KeptProcess {
    /// The program to start, and its permissions. Paths are absolute.
    public struct Plan: Sendable {
        /// The keeper program: normally `/proc/self/exe`. It calls `Keeper.run` if `Keeper.isAsked`.
        public var keeper: String
        /// The path of the program.
        public var program: String
        /// All arguments, the name first.
        public var arguments: [String]
        /// The whole environment, as `NAME=value`.
        public var environment: [String]
        /// The working directory, readable and executable.
        public var directory: String
        /// A folder that is readable and, unless `isDataReadOnly`, writable.
        public var dataDirectory: String?
        public var isDataReadOnly: Bool
        /// More readable and executable folders.
        public var runtimes: [String]
        /// Readable files and folders.
        public var readable: [String]
        /// Readable and writable files and folders.
        public var writable: [String]
        public var network: Bool
        /// For each of its processes.
        public var memoryBytes: Int
        /// For each of its processes.
        public var cpuSeconds: Int
        /// For each file that it writes.
        public var fileBytes: Int
        /// For all its processes and threads together, including the keeper.
        public var processes: Int
        /// For each of its processes.
        public var openFiles: Int
        /// Whether to refuse the start if a limit cannot be enforced. Shared memory is refused then, because no limit
        /// counts it.
        public var requiresIsolation: Bool

        public init(
            keeper: String, program: String, arguments: [String], environment: [String], directory: String,
            dataDirectory: String?, isDataReadOnly: Bool, runtimes: [String], readable: [String], writable: [String],
            network: Bool, memoryBytes: Int, cpuSeconds: Int, fileBytes: Int, processes: Int, openFiles: Int,
            requiresIsolation: Bool
        ) {
            self.keeper = keeper
            self.program = program
            self.arguments = arguments
            self.environment = environment
            self.directory = directory
            self.dataDirectory = dataDirectory
            self.isDataReadOnly = isDataReadOnly
            self.runtimes = runtimes
            self.readable = readable
            self.writable = writable
            self.network = network
            self.memoryBytes = memoryBytes
            self.cpuSeconds = cpuSeconds
            self.fileBytes = fileBytes
            self.processes = processes
            self.openFiles = openFiles
            self.requiresIsolation = requiresIsolation
        }

        /// Encodes the plan for the keeper (Keeper.h).
        func message() throws(SystemError) -> [UInt8] {
            var bytes: [UInt8] = [0, 0, 0, 0]
            var pairs = [("program", program), ("directory", directory)]
            if let dataDirectory { pairs.append(("data", dataDirectory)) }
            pairs += arguments.map { ("argument", $0) } + environment.map { ("environment", $0) }
            pairs += runtimes.map { ("runtime", $0) } + readable.map { ("readable", $0) }
            pairs += writable.map { ("writable", $0) }
            pairs += [
                ("dataReadOnly", "\(isDataReadOnly)"), ("network", "\(network)"),
                ("requiresIsolation", "\(requiresIsolation)"), ("memoryBytes", "\(memoryBytes)"),
                ("cpuSeconds", "\(cpuSeconds)"), ("fileBytes", "\(fileBytes)"), ("processes", "\(processes)"),
                ("openFiles", "\(openFiles)"),
            ]
            for (name, value) in pairs {
                guard !value.utf8.contains(0) else { throw SystemError(call: "start", subject: name, code: EINVAL) }
                bytes += Array(name.utf8) + [0] + Array(value.utf8) + [0]
            }
            let count = bytes.count - 4
            guard count <= 1 << 16 else { throw SystemError(call: "start", subject: program, code: E2BIG) }
            for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: count >> (8 * index)) }
            return bytes
        }
    }
}
