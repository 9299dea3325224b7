import JSONCodec
import Platform

extension Client {
    /// A folder as the system names it.
    func pluginBench(_ argument: String) throws(ClientError) -> PluginBench {
        guard let folder = Terminal.realPath(try absolute(argument)) else {
            throw .badInput("There is no folder \(Escaping.visible(argument)).", advice: nil)
        }
        return try PluginBench(folder, program: hostOptions().program, launcher: launcher)
    }

    func doctorPlugin(_ argument: String) throws(ClientError) {
        let bench = try pluginBench(argument)
        defer { bench.close() }
        let info = try bench.look()
        guard info["state"]?.string != "invalid" else {
            var findings = Findings()
            findings.trials = 1
            findings.add(
                PluginDoctor.Clause.manifest, info["reason"]?.string ?? "It is invalid.", in: "reading the folder")
            return try report(findings, of: bench.id)
        }
        let doctor = try PluginDoctor(bench, info)
        if try doctor.examine() { try doctor.checkSchemas(bench) }
        try report(doctor.findings, of: bench.id)
    }

    func doctorHost(_ program: String, _ arguments: [String]) throws(ClientError) {
        let doctor = HostDoctor(path: try HostLocation.ofThisProcess().find(program), arguments: arguments)
        try doctor.examine()
        try report(doctor.findings, of: program)
    }
}
