import JSONCodec

extension Manifest.Provides {
    /// The most contributions of one kind.
    private static let countMax = 256

    init(_ member: ManifestMember, kind: Manifest.Kind) throws(ManifestProblem) {
        guard member.value.object != nil else { throw member.problem("must be an object") }
        if kind == .mcp,
            let other = [
                "methods", "shareFormats", "cells", "hooks", "events", "importers", "exporters", "menu", "transports",
            ]
            .first(where: { member.value[$0] != nil })
        {
            throw ManifestProblem(
                pointer: "\(member.pointer)/\(other)",
                reason: "must be left out: an MCP server brings its tools, and tells of them itself")
        }
        methods = try Self.read(member, "methods", by: "name", \.name, Manifest.OwnMethod.init)
        shareFormats = try Self.read(member, "shareFormats", by: "name", \.name) { member throws(ManifestProblem) in
            Manifest.ShareFormat(
                name: try member.required("name", "how mood.share calls it").name(),
                title: try member.required("title", "what people call it").line(max: 100),
                mediaType: try member.required("mediaType", "such as text/plain").mediaType())
        }
        cells = try Self.read(member, "cells", by: "type", \.type) { member throws(ManifestProblem) in
            Manifest.Cell(type: try member.required("type", "the last part of x.<id>.<type>").name())
        }
        hooks = try Self.read(member, "hooks", by: "on", \.on.rawValue) { member throws(ManifestProblem) in
            Manifest.Hook(
                on: try member.required("on", "\"change\" or \"navigate\"").choice(),
                failure: try member.optional("failure")?.choice() ?? .open,
                timeoutMilliseconds: try member.optional("timeoutMs")?.integer(1...2000) ?? 250)
        }
        for element in try member.elements(of: "events", max: Self.countMax) {
            let topic: Manifest.Topic = try element.choice()
            if events.contains(topic) { throw element.problem("must not repeat an earlier one") }
            events.append(topic)
        }
        importers = try Self.read(member, "importers", by: "format", \.format, Manifest.Importer.init)
        exporters = try Self.read(member, "exporters", by: "format", \.format) { member throws(ManifestProblem) in
            Manifest.Exporter(
                format: try member.required("format", "how store.export calls it").name(),
                title: try member.required("title", "what people call it").line(max: 100),
                fileExtension: try member.required("extension", "the end of the file's name").fileExtension(),
                mediaType: try member.required("mediaType", "such as text/plain").mediaType())
        }
        transports = try Self.read(member, "transports", by: "scheme", \.scheme) { member throws(ManifestProblem) in
            Manifest.Transport(
                scheme: try member.required("scheme", "what its urls begin with, such as nats").scheme(),
                title: try member.required("title", "what people call it").line(max: 100))
        }
        for element in try member.elements(of: "menu", max: Self.countMax) {
            menu.append(try Manifest.MenuItem(element, methods))
        }
    }

    /// Reads the elements of one kind, which differ by name.
    private static func read<Element>(
        _ provides: ManifestMember, _ kind: String, by name: String, _ key: KeyPath<Element, String>,
        _ read: (ManifestMember) throws(ManifestProblem) -> Element
    ) throws(ManifestProblem) -> [Element] {
        var elements: [Element] = []
        for member in try provides.elements(of: kind, max: countMax) {
            let element = try read(member)
            if elements.contains(where: { $0[keyPath: key] == element[keyPath: key] }) {
                throw ManifestProblem(pointer: "\(member.pointer)/\(name)", reason: "must not repeat an earlier one")
            }
            elements.append(element)
        }
        return elements
    }
}

extension Manifest.OwnMethod {
    fileprivate init(_ member: ManifestMember) throws(ManifestProblem) {
        self.init(
            name: try member.required("name", "the last part of x.<id>.<name>").name(),
            summary: try member.required("summary", "a sentence about what it does").line(max: 1000),
            params: try member.optional("params")?.objectSchema() ?? .any,
            result: try member.optional("result")?.schema() ?? .any,
            effect: try member.optional("effect")?.choice() ?? .write,
            isTool: try member.optional("tool")?.boolean() ?? false)
    }

    /// A tool of an MCP server as it describes it; nil if it cannot be called. The server itself judges schemas that
    /// this host does not support.
    public init?(tool: JSONValue) {
        guard let name = tool["name"]?.string, ServerGreeting.isName(name), let params = tool["inputSchema"] else {
            return nil
        }
        let summary = tool["description"]?.string ?? tool["title"]?.string ?? name
        self.init(
            name: name, summary: summary, params: JSONSchema.asFarAsKnown(params),
            result: tool["outputSchema"].map { JSONSchema.asFarAsKnown($0) } ?? .any,
            effect: tool["annotations"]?["readOnlyHint"]?.boolean == true ? .read : .write, isTool: false)
    }
}

extension Manifest.Importer {
    fileprivate init(_ member: ManifestMember) throws(ManifestProblem) {
        format = try member.required("format", "how store.import calls it").name()
        title = try member.required("title", "what people call it").line(max: 100)
        let list = try member.required("extensions", "the ends of its files' names, such as [\"acme\"]")
        var extensions: [String] = []
        for element in try list.elements(max: 32) { extensions.append(try element.fileExtension()) }
        self.extensions = extensions
    }
}

extension Manifest.MenuItem {
    fileprivate init(_ member: ManifestMember, _ methods: [Manifest.OwnMethod]) throws(ManifestProblem) {
        title = try member.required("title", "what stands in the menu").line(max: 100)
        icon = try member.optional("icon")?.line(max: 100)
        color = try member.optional("color")?.line(max: 40)
        let called = try member.required("method", "one of its own methods, without params")
        let name = try called.text()
        guard let method = methods.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            throw called.problem("must be one of provides.methods; declare it there")
        }
        guard method.params.check(JSONValue.object([])) == nil else {
            throw called.problem("must need no params, because a menu gives none")
        }
        self.method = method.name
    }
}
