import JSONCodec
import JSONRPC
import MoodCore
import MoodFormats
import MoodProtocol
import MoodStore
import MoodText
import Platform
import Storage

/// `store.import`.
extension Core {
    static let transferHandlers: InlineArray<_, Handler> = [
        Handler(
            TransferMethods.export, later: { (core, arguments) throws(RPCError) in try core.export(arguments) }),
        Handler(
            TransferMethods.import,
            { (core, arguments, out) throws(RPCError) in try core.importMoods(arguments, &out) }),
    ]

    mutating func importMoods(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let path = arguments[TransferParams.path]
        let param = path == nil ? "text" : "path"
        guard arguments[has: TransferParams.text] != (path != nil) else {
            throw Arguments.error(
                path == nil ? "is required: the text to read, or path" : "cannot be given together with path",
                at: "/text")
        }
        try openForWriting()
        loadPlugins()
        let name = arguments[TransferParams.importFormat]
        let fileExtension = path.flatMap { $0.split(separator: "/").last?.split(separator: ".").dropFirst().last }
        if let importer = try importer(name, fileExtension.map { String($0).lowercased() }) {
            throw try importByPlugin(importer, arguments)
        }
        let bytes: [UInt8]
        if let path {
            bytes = try Self.read(path)
        } else {
            bytes = arguments[TransferParams.text]?.withDecoded { Array($0) } ?? []
        }
        let format = name.flatMap { ImportFormat(rawValue: $0) } ?? ImportFormat(detecting: bytes)
        var tally = ImportTally(strict: arguments[TransferParams.strict], param)
        let moods: MoodImport
        do throws(UnreadableFile) {
            moods = try MoodImport(bytes, as: format, importOptions(arguments))
        } catch {
            throw Arguments.error(error.reason, at: "/" + (error.param == "text" ? param : error.param))
        }
        var scratch = JSONWriter(capacity: 4096)
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        var chosen: [[UInt8]] = []
        while let item = moods.next() {
            switch item {
            case .problem(let problem): tally.add(problem)
            case .settings(let line, let given):
                if let reason = try problem(ofSettings: given) {
                    tally.add(ImportProblem(line: line, column: nil, reason: reason, text: ""))
                } else {
                    chosen.append(given)
                }
            case .mood(let mood):
                if store.isRehearsing { try makeStore(for: mood, arguments, &validator) }
                try take(mood, replaces: arguments[TransferParams.replace], &validator, &scratch, &tally)
            }
        }
        try tally.finish(to: &out)
        if !arguments.isDryRun { try adopt(settings: chosen, replaces: arguments[TransferParams.replace]) }
    }

    /// Makes the store that is not there yet, where this mood is one to keep whatever else is in the file: an import is long, and is
    /// then done once, not tried first.
    private mutating func makeStore(
        for mood: ImportedMood, _ arguments: borrowing Arguments, _ validator: inout JSONValidator
    ) throws(RPCError) {
        guard !arguments.isDryRun, !arguments[TransferParams.strict], !pluginFlags.contains(.changeHooks) else {
            return
        }
        let isRight = mood.json.withUnsafeBytes { bytes in
            do throws(JSONError) {
                let outline = try validator.validate(bytes)
                return outline.duplicate == nil && ImportedMoodRule.problem(outline.text, options.limits) == nil
            } catch {
                return false
            }
        }
        guard isRight else { return }
        store.waitHere()
        try makeStore()
    }

    /// What a reader has to know; times without a zone take that of the call, of the command line, or the setting.
    private mutating func importOptions(_ arguments: borrowing Arguments) -> ImportOptions {
        var import_ = ImportOptions()
        if let zone = arguments[TransferParams.timeZone] {
            import_.timeZone = (zone, true)
        } else if let zone = timeZone(nil) {
            import_.timeZone = (zone, false)
        }
        for member in arguments[TransferParams.map].flatMap({ JSONValue($0).object }) ?? [] {
            import_.map.append((member.name, member.value.string ?? member.value.text))
        }
        import_.feelings = usableSettings().palette.entries.map {
            KnownFeeling(emoji: $0.emoji, label: $0.label, valence: $0.valence, aliases: $0.aliases)
        }
        return import_
    }

    /// Takes one mood, or says why not.
    mutating func take(
        _ mood: ImportedMood, replaces: Bool, _ validator: inout JSONValidator, _ scratch: inout JSONWriter,
        _ tally: inout ImportTally
    ) throws(RPCError) {
        func problem(_ member: String?, _ reason: String) -> ImportProblem {
            ImportProblem(line: mood.line, column: member.flatMap { mood.columns[$0] }, reason: reason, text: mood.text)
        }
        let limits = options.limits
        var outcome: ImportOutcome?
        var failure: RPCError?
        mood.json.withUnsafeBytes { bytes in
            do throws(JSONError) {
                let outline = try validator.validate(bytes)
                if outline.duplicate != nil { return tally.add(problem(nil, "A name stands twice.")) }
                if let wrong = ImportedMoodRule.problem(outline.text, limits) {
                    return tally.add(problem(wrong.member, "\(wrong.member) \(wrong.reason)."))
                }
                do throws(MoodStoreError) {
                    outcome = try store.importMood(
                        outline.text, carriesID: mood.carriesID, replaces: replaces, at: now, &scratch)
                } catch {
                    if case .storage(let error) = error {
                        failure = RPCError(error, forWriting: true)
                    } else {
                        tally.add(problem(nil, RPCError(error).message))
                    }
                }
            } catch {
                tally.add(problem(nil, "This is not JSON: \(error.reason)."))
            }
        }
        if let failure { throw failure }
        if let outcome { tally.add(outcome) }
    }

    /// The whole of a file that a person names.
    static func read(_ path: String) throws(RPCError) -> [UInt8] {
        do throws(SystemError) {
            let file = try File(path, .read, in: .system)
            let status = try file.status()
            guard status.kind == .regular else { throw SystemError(call: "open", subject: path, code: EINVAL) }
            guard status.size <= MoodImport.bytesMax else {
                throw SystemError(call: "read", subject: path, code: EFBIG)
            }
            var bytes = ByteBuffer(capacity: status.size + 1)
            try bytes.append(upTo: status.size) { (room) throws(SystemError) in try file.read(room, at: 0) }
            return Array(bytes.bytes)
        } catch {
            throw Arguments.error("cannot be read: \(error)", at: "/path")
        }
    }
}

/// What an import has done so far.
struct ImportTally {
    /// So many problems are told one by one.
    static let problemsMax = 1000

    private let isStrict: Bool
    private let param: String
    private var created = 0
    private var updated = 0
    private var unchanged = 0
    private var problems: [ImportProblem] = []
    private var problemCount = 0

    init(strict: Bool, _ param: String) {
        isStrict = strict
        self.param = param
    }

    mutating func add(_ problem: ImportProblem) {
        problemCount += 1
        if problems.count < Self.problemsMax { problems.append(problem) }
    }

    mutating func add(_ outcome: ImportOutcome) {
        switch outcome {
        case .created: created += 1
        case .updated: updated += 1
        case .unchanged: unchanged += 1
        }
    }

    /// Writes the answer.
    /// - Throws: where something could not be read, and nothing was to be done then.
    func finish(to out: inout JSONWriter) throws(RPCError) {
        if isStrict, problemCount > 0 {
            let reason =
                "\(problemCount == 1 ? "One thing" : "\(problemCount) things") in it cannot be read; the first: "
                + "line \(problems[0].line): \(problems[0].reason)"
            throw RPCError(
                .invalidParams, "\(param): \(reason)",
                [
                    .init("path", .string("/" + param)), .init("reason", .string(reason)),
                    .init("problems", .array(problems.map(\.value))),
                ])
        }
        out.beginObject()
        out.key("created")
        out.integer(created)
        out.key("updated")
        out.integer(updated)
        out.key("unchanged")
        out.integer(unchanged)
        out.key("problems")
        JSONValue.array(problems.map(\.value)).write(to: &out)
        if problemCount > problems.count {
            out.key("problemCount")
            out.integer(problemCount)
        }
        out.endObject()
    }
}

extension ImportProblem {
    var value: JSONValue {
        .object(
            [.init("line", .number(String(line)))] + (column.map { [.init("column", .number(String($0)))] } ?? [])
                + [.init("reason", .string(reason)), .init("text", .string(text))])
    }
}
