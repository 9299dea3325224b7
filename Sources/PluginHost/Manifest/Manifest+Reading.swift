import JSONCodec
import MoodProtocol

extension Manifest {
    /// Reads a manifest.
    /// - Parameter id: the name of the folder, which must equal its id.
    /// - Throws: the first problem.
    public static func read(_ bytes: UnsafeRawBufferPointer, id: String) throws(ManifestProblem) -> Manifest {
        guard bytes.count <= fileBytesMax else {
            throw ManifestProblem(pointer: "", reason: "is too large; it may have at most \(fileBytesMax) bytes")
        }
        var validator = JSONValidator(depthLimit: depthMax)
        let outline: JSONOutline
        do throws(JSONError) { outline = try validator.validate(bytes) } catch {
            if case .tooDeep = error.reason { throw ManifestProblem(pointer: "", reason: "is \(error.reason)") }
            throw ManifestProblem(pointer: "", reason: "is not JSON: \(error)")
        }
        if let offset = outline.duplicate {
            throw ManifestProblem(pointer: "", reason: "gives a member twice (at byte \(offset)); leave one of them")
        }
        return try read(JSONValue(outline.text), id: id)
    }

    /// Reads a parsed manifest, such as the one of the records.
    public static func read(_ source: JSONValue, id: String) throws(ManifestProblem) -> Manifest {
        try Manifest(ManifestMember(value: source, pointer: ""), folder: id)
    }

    private init(_ root: ManifestMember, folder: String) throws(ManifestProblem) {
        let version = try root.required("manifestVersion", "write 1")
        guard version.value.integer == 1 else {
            throw version.problem("must be 1; this host knows no other version, a newer one may")
        }
        let idMember = try root.required("id", "the name of its folder, such as org.example.poem")
        guard let id = PluginID(try idMember.text()) else {
            throw idMember.problem(
                "must be two or more labels of a-z, 0-9 and inner hyphens, joined by dots, at most \(PluginID.bytesMax) bytes"
            )
        }
        guard id.text.utf8.elementsEqual(folder.utf8) else {
            throw idMember.problem("must be the name of the folder, \"\(folder)\"; rename one of the two")
        }
        let kind: Kind = try root.optional("kind")?.choice() ?? .moodboard
        if let spoken = try root.optional("protocol") {
            let versions = try spoken.elements(max: 100)
            for version in versions { _ = try version.integer(0 ... .max) }
            guard versions.contains(where: { $0.value.integer == Self.protocolVersion }) else {
                throw spoken.problem("must have \(Self.protocolVersion), the version that this host speaks")
            }
        }
        self.id = id
        self.kind = kind
        name = try root.required("name", "what people call it").line(max: 100)
        self.version = try root.required("version", "such as 1.0.0").line(max: 64)
        exec = try Self.exec(try root.required("exec", "the program and its arguments, such as [\"./main.py\"]"))
        provides =
            try root.optional("provides").map { member throws(ManifestProblem) in
                try Provides(member, kind: kind)
            } ?? Provides()
        config = try root.optional("config").map { member throws(ManifestProblem) in
            let schema = try member.objectSchema()
            try PluginConfig.check(schema, member)
            return schema
        }
        permissions =
            try root.optional("permissions").map { member throws(ManifestProblem) in
                try Permissions(member)
            } ?? Permissions()
        limits = try root.optional("limits").map { member throws(ManifestProblem) in try Limits(member) } ?? Limits()
        source = root.value
    }

    private static func exec(_ member: ManifestMember) throws(ManifestProblem) -> [String] {
        let elements = try member.elements(max: 256)
        var exec: [String] = []
        for element in elements {
            let text = try element.text()
            guard !text.utf8.contains(0), text.utf8.count <= 4096 else {
                throw element.problem("must have at most 4096 bytes, none of them zero")
            }
            exec.append(text)
        }
        guard let program = exec.first else { throw member.problem("must name a program, such as [\"./main.py\"]") }
        guard ExecSearch.isInFolder(program) || ExecSearch.isBareName(program) else {
            throw elements[0].problem(
                "must be ./ and the path of a file in the folder, without .. in it, or a bare name such as python3")
        }
        return exec
    }
}

extension Manifest.Permissions {
    init(_ member: ManifestMember) throws(ManifestProblem) {
        self.init()
        if let choice = try member.optional("moods") { moods = try choice.choice() }
        if let choice = try member.optional("navigation") { navigation = try choice.boolean() }
        if let choice = try member.optional("network") { network = try choice.boolean() }
        guard let files = try member.optional("files") else { return }
        readable = try Self.paths(files, "read")
        writable = try Self.paths(files, "write")
    }

    private static func paths(_ files: ManifestMember, _ name: String) throws(ManifestProblem) -> [String] {
        var paths: [String] = []
        for element in try files.elements(of: name, max: 64) {
            let path = try element.text()
            if let problem = ProtectedFolders.spellingProblem(path) { throw element.problem(problem) }
            paths.append(path)
        }
        return paths
    }
}

extension Manifest.Limits {
    fileprivate init(_ member: ManifestMember) throws(ManifestProblem) {
        self.init()
        for limit in Self.declared {
            if let given = try member.optional(limit.name) {
                self[keyPath: limit.member] = try given.integer(limit.range)
            }
        }
    }
}
