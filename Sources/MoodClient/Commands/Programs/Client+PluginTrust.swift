import JSONCodec
import Platform

/// `mood plugin trust`, `add` and `remove`: decisions of a person.
extension Client {
    func trustPlugin(_ id: String) throws(ClientError) {
        let info = try pluginInfo(id)
        guard let digest = info.digest else {
            // A reason may be a sentence.
            let sentence = info.sentence.utf8.last == UInt8(ascii: ".") ? info.sentence : info.sentence + "."
            throw .unsound("\(sentence) It cannot be trusted.")
        }
        if let wanted = invocation.value("digest"), wanted != digest {
            throw .badInput(
                "The plugin is \(digest), not \(Escaping.visible(wanted)).",
                advice: "Look at its files again, then give the digest that they have now.")
        }
        try askForTrust(info)
        let (runtimes, readable, writable) = (try runtimes(), try folders("read"), try folders("write"))
        let files: Params = ["read": readable, "write": writable]
        try changePlugin(
            "plugin.trust", id,
            [
                "digest": digest, "runtimes": runtimes.isEmpty ? nil : runtimes,
                "files": readable.isEmpty && writable.isEmpty ? nil : files, "tools": invocation.value("tools"),
            ])
    }

    private func folders(_ option: String) throws(ClientError) -> [String] {
        try invocation.values(option).map { (path) throws(ClientError) in
            path.utf8.starts(with: "~/".utf8) ? path : try absolute(path)
        }
    }

    /// Folders to run from: those of `--runtime`, and the virtual environment of `--python` with its interpreter's
    /// folder.
    func runtimes() throws(ClientError) -> [String] {
        var paths = try folders("runtime")
        guard let python = invocation.value("python") else { return paths }
        let given = try absolute(python)
        let isFolder = (try? FileSystem.system.list(given)) != nil
        let environment = isFolder ? given : PluginFiles.above(PluginFiles.above(given))
        guard Terminal.isExecutable(environment + "/bin/python3") || Terminal.isExecutable(environment + "/bin/python")
        else {
            throw usage(
                "--python: \(Escaping.visible(python)) is neither a virtual environment nor the python of one, which is in its folder bin."
            )
        }
        paths.append(environment)
        for name in ["python3", "python"] {
            guard let real = Terminal.realPath("\(environment)/bin/\(name)") else { continue }
            let home = PluginFiles.above(PluginFiles.above(real))
            if home != environment, !["", "/usr", "/usr/local"].contains(home) { paths.append(home) }
            break
        }
        return paths
    }

    /// Shows what would run and what it may do. A person at a terminal confirms it; elsewhere `--yes` and `--digest`
    /// do.
    private func askForTrust(_ info: PluginView) throws(ClientError) {
        if invocation.has("yes"), invocation.has("digest") || console.isInputTerminal { return }
        console.writeError(text(of: info.question))
        guard console.isInputTerminal else {
            throw usage(
                "Without a terminal, trust wants --yes and --digest with the digest of what you have looked at.")
        }
        try ask(
            info.isDisabled ? "Trust it (it stays disabled until: mood plugin enable \(info.id))?" : "Let it run?",
            orElse: "It was not trusted.")
    }

    // MARK: Adding and removing

    func addPlugin(_ argument: String) throws(ClientError) {
        let source = try absolute(argument)
        let id = try PluginFiles.id(of: source)
        let store = try storeFolder()
        let target = try PluginFiles.copy(source, toStore: store, as: id)
        do throws(ClientError) {
            try trustPlugin(id)
        } catch {
            // A folder without trust would be in the way of the next attempt.
            try? PluginFiles.remove(target)
            throw error
        }
    }

    /// - Throws: if the host has no folder for plugins.
    private func storeFolder() throws(ClientError) -> String {
        let store = try tree(call("host.info"))["store"]
        guard store?["inMemory"]?.boolean != true, let path = store?["path"]?.string else {
            throw .badInput("The host keeps nothing, so there is no place for a plugin.", advice: "Give --store DIR.")
        }
        return path
    }

    func removePlugin(_ id: String) throws(ClientError) {
        let info = try pluginInfo(id)
        let store = try storeFolder()
        let isInStore = info.path == PluginFiles.folder(inStore: store, id)
        if !invocation.has("yes") {
            guard console.isInputTerminal else { throw usage("To confirm: mood plugin remove \(id) --yes") }
            let what = isInStore ? "Stop \(id) and delete its folder in the store" : "Take back the trust in \(id)"
            try ask(Escaping.visible(what) + "?", orElse: "Nothing was removed.")
        }
        var result: [UInt8] = []
        if !["untrusted", "invalid", "shadowed"].contains(info.state) {
            result = try call("plugin.untrust", ["id": id])
        }
        if isInStore { try PluginFiles.remove(info.path) }
        if wantsJSON { return try print(json: result.isEmpty ? Array("{}".utf8) : result) }
        try print("Removed \(Escaping.visible(id))\n")
        if !isInStore { tell("Its folder stays where it is: \(Escaping.visible(info.path))") }
        let data = PluginFiles.data(inStore: store, id)
        if (try? FileSystem.system.list(data)) != nil { tell("Its data stays: \(Escaping.visible(data))") }
    }

    // MARK: Writing one

    func writePlugin(_ id: String) throws(ClientError) {
        guard let language = invocation.value("lang") else {
            throw usage("Which language? --lang \(PluginTemplate.languages.joined(separator: ", "))")
        }
        guard PluginFiles.isID(id) else {
            throw usage(
                "'\(id)' is no id: use two or more words of a-z and 0-9 with dots between, such as org.example.hello.")
        }
        let folder = try absolute(id)
        let files = PluginTemplate.files(id, language)
        try PluginFiles.write(files, to: folder)
        try print("Wrote \(files.map(\.name).joined(separator: ", ")) in \(id)\n")
        tell("Try it with: sh \(id)/test.sh\nWatch it with: mood plugin dev \(id)\nAdd it with: mood plugin add \(id)")
    }
}
