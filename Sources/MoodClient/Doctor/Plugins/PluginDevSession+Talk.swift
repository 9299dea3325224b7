import JSONCodec
import Platform

/// The session's input, requests and output, and its watch on files.
extension PluginDevSession {
    func listen(_ talk: Conversation) {
        talk.listen(to: interruption, as: Source.interruption)
        if !isInputAtEnd { talk.listen(to: StandardStream.input, as: Source.input) }
        for (number, watch) in watches.enumerated() {
            talk.listen(to: watch.watch.descriptor, as: EventSources.Name(Source.folders + number))
        }
    }

    func watchFolders() {
        var folders = [bench.folder]
        var place = 0
        while place < folders.count, folders.count < Self.foldersMax {
            let folder = folders[place]
            place += 1
            for name in (try? FileSystem.system.list(folder)) ?? [] where ![".git", "__pycache__"].contains(name) {
                let path = folder + "/" + name
                if (try? FileSystem.system.statusOfPath(path))?.kind == .directory { folders.append(path) }
            }
        }
        watches = folders.prefix(Self.foldersMax).compactMap { Watch($0) }
    }

    func happened(_ name: EventSources.Name) {
        switch name {
        case Source.interruption: isInterrupted = true
        case Source.input: readInput()
        default:
            for watch in watches { _ = watch.watch.take() }
            hasChanged = true
        }
    }

    private func readInput() {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            let count = (try? StandardStream.read(from: StandardStream.input, into: buffer)) ?? 0
            typed += buffer[..<count]
            if count == 0 {
                isInputAtEnd = true
                talk?.forget(Source.input)
                if !typed.isEmpty { typed.append(0x0a) }
            }
        }
        while let end = typed.firstIndex(of: 0x0a) {
            let line = String(decoding: typed[..<end], as: UTF8.self)
            typed.removeFirst(end + 1)
            request(line)
        }
    }

    /// Sends `METHOD` or `METHOD PARAMS`.
    private func request(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard let method = parts.first else { return }
        guard let talk, !talk.isOutputAtEnd else {
            return show("---", "it does not run; change a file to start it anew")
        }
        guard parts.count < 2 || (try? JSONValue(parsing: String(parts[1]))) != nil else {
            return show("---", "the params are no JSON: \(parts[1])")
        }
        let params = parts.count > 1 ? (try? JSONValue(parsing: String(parts[1]))) ?? .null : .object([])
        if let fault = fault(in: params, .params, of: String(method)) {
            return show("---", "not asked, because a host refuses it (-32602): \(fault)")
        }
        asked[nextID] = String(method)
        send(Inspection.request(String(method), params, id: .number(String(nextID))), talk)
        nextID += 1
    }

    /// Shows a message of the plugin, and a fault that a host would find in it.
    func hear(_ message: Conversation.Message) {
        show("<--", message.text)
        guard let value = message.value, value["method"] == nil, let id = value["id"]?.integer else { return }
        if id == 0, bench.isServer, value["result"] != nil, let talk {
            send(Inspection.notification("notifications/initialized"), talk)
        }
        guard let method = asked.removeValue(forKey: id), let result = value["result"],
            let fault = fault(in: result, .result, of: method)
        else { return }
        show("---", "a host answers with an error instead (1031): \(fault)")
    }

    /// Has the bench check by what the manifest declares.
    func declare() throws(ClientError) {
        let methods = info["provides"]?["methods"]?.array ?? []
        declared = Set(methods.compactMap { $0["name"]?.string })
        guard !declared.isEmpty, let reason = try bench.declareSchemas(of: methods) else { return }
        declared = []
        show("---", "params and results are not checked: \(reason)")
    }

    private func fault(in value: JSONValue, _ part: PluginBench.Part, of method: String) -> String? {
        guard declared.contains(method) else { return nil }
        do throws(ClientError) { return try bench.fault(in: value, part, of: method) } catch {
            failure = error
            return nil
        }
    }

    func send(_ line: String, _ talk: Conversation) {
        show("-->", line)
        talk.send(line)
    }

    /// Passes the plugin's requests to the bench's host, within the plugin's permissions.
    func reply(_ message: Conversation.Message) -> [UInt8]? {
        let method = message.value?["method"]?.string ?? ""
        let outcome: JSONValue.Member
        if let lacking = lacking(method) {
            outcome = .init(
                "error",
                [
                    "code": 1040, "message": .string("The plugin has not been granted \(lacking)."),
                    "data": ["kind": "permissionDenied", "retryable": false, "permission": .string(lacking)],
                ])
        } else {
            let answer: Answer
            do throws(ClientError) {
                answer = try bench.call(method, message.value?["params"] ?? .object([]))
            } catch {
                failure = error
                return nil
            }
            switch answer {
            case .result(let bytes): outcome = .init("result", (try? JSONValue.parse(bytes)) ?? .null)
            case .failure(let error): outcome = .init("error", (try? JSONValue.parse(error.json)) ?? .null)
            }
        }
        let head: [JSONValue.Member] = [.init("jsonrpc", "2.0"), .init("id", message.id ?? .null)]
        let text = JSONValue.object(head + [outcome]).text
        show("-->", text)
        return Array(text.utf8)
    }

    /// The permission that a method needs and the manifest does not request; nil if the method is allowed.
    private func lacking(_ method: String) -> String? {
        let granted = info["permissions"]
        let moods = granted?["moods"]?.string ?? "none"
        switch permissions[method] {
        case nil, "none": return nil
        case "readMoods": return moods == "none" ? "moods:read" : nil
        case "writeMoods": return moods == "write" ? nil : "moods:write"
        case "navigation": return granted?["navigation"]?.boolean == true ? nil : "navigation"
        case let other?: return other
        }
    }

    // MARK: Showing

    func complain(_ bytes: [UInt8]) {
        complaint += bytes
        while let end = complaint.firstIndex(of: 0x0a) {
            show("err", String(decoding: complaint[..<end], as: UTF8.self))
            complaint.removeFirst(end + 1)
        }
    }

    func show(_ mark: String, _ text: String) {
        var shown = Escaping.visible(String(decoding: text.utf8.prefix(Self.excerptBytes), as: UTF8.self))
        if text.utf8.count > Self.excerptBytes { shown += " … (\(text.utf8.count) bytes)" }
        do throws(ClientError) { try print("\(mark) \(shown)") } catch { failure = failure ?? error }
    }
}
