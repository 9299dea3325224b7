import JSONCodec
import Platform

extension Client {
    /// Opens a bench for a folder, by its real path.
    func pluginBench(_ argument: String) throws(ClientError) -> PluginBench {
        guard let folder = Terminal.realPath(try absolute(argument)) else {
            throw .badInput("There is no folder \(Escaping.visible(argument)).", advice: nil)
        }
        return try PluginBench(folder, program: hostOptions().program, launcher: launcher, limits: limits)
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
        let doctor = try PluginDoctor(bench, info, runtimes: runtimes(), helloMilliseconds: helloMilliseconds)
        // An MCP server speaks another protocol; a host speaks it too.
        let isUsable = bench.isServer ? true : try doctor.examine()
        if isUsable { try doctor.examine(through: bench) }
        try report(doctor.findings, of: bench.id)
    }

    /// The time a plugin has to answer `plugin.hello`.
    private var helloMilliseconds: Int {
        let name = "pluginHelloMs="
        let given = limits.last { $0.utf8.starts(with: name.utf8) }.flatMap { Int($0.dropFirst(name.utf8.count)) }
        return given ?? PluginDoctor.helloMilliseconds
    }

    func doctorTransport(_ words: [String]) throws(ClientError) {
        let (argument, url) = (words[0], words[1])
        let bench = try pluginBench(argument)
        defer { bench.close() }
        let info = try bench.look()
        guard info["state"]?.string != "invalid" else {
            throw .badInput(
                "The plugin is invalid: \(Escaping.visible(info.text(of: "reason"))).",
                advice: "See mood doctor plugin \(argument).")
        }
        let scheme = String(url.prefix { $0 != ":" })
        let schemes = (info["provides"]?["transports"]?.array ?? []).compactMap { $0["scheme"]?.string }
        guard schemes.contains(where: { $0.utf8.elementsEqual(scheme.utf8) }) else {
            throw usage("The plugin has no transport for \(scheme)://; it has: \(schemes.joined(separator: ", ")).")
        }
        let config = try givenConfig() ?? .object([])
        let doctor = try TransportDoctor(bench, info, url: url, config: config, runtimes: runtimes())
        try doctor.examine()
        try report(doctor.findings, of: bench.id)
    }

    func doctorHost(_ words: [String]) throws(ClientError) {
        let path = try HostLocation.ofThisProcess().find(words[0])
        let doctor = HostDoctor(path: path, arguments: Array(words.dropFirst()))
        try doctor.examine()
        if let framing = doctor.framings.first, try doctor.speaksMCP(framing) {
            let bench = try PluginBench(program: hostOptions().program, launcher: launcher)
            defer { bench.close() }
            try doctor.tools(framing, bench)
        }
        try report(doctor.findings, of: words[0])
    }
}
