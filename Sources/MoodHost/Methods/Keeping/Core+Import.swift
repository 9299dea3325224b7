import JSONCodec
import JSONRPC
import MoodCore
import MoodFormats
import MoodProtocol
import MoodStore
import MoodText
import Platform

/// `store.import`.
extension Core {
    static let transferHandlers: InlineArray<_, Handler> = [
        Handler(TransferMethods.export, [.reads, .durable], later: { try $0.export($2) }),
        Handler(
            TransferMethods.import, [.changes, .durable],
            check: { (_, _, arguments) throws in
                let isText = arguments[has: TransferParams.text]
                guard isText != arguments[has: TransferParams.path] else {
                    throw Arguments.error(
                        isText ? "cannot be given together with path" : "is required: the text to read, or path",
                        at: "/text")
                }
                return []
            },
            maybe: { try $0.importMoods($1, $2, &$3) }),
    ]

    mutating func importMoods(
        _ request: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        let path = arguments[TransferParams.path]
        seePlugins()
        let name = arguments[TransferParams.importFormat]
        if arguments[TransferParams.copy] {
            guard name ?? "jsonl" == "jsonl", !arguments[has: TransferParams.map] else {
                throw Arguments.error(
                    "is of format jsonl and takes no map; leave out the one or the other", at: "/copy")
            }
        } else if arguments[TransferParams.damagedCopy] {
            throw Arguments.error("belongs to a copy; give copy too, or leave it out", at: "/damaged")
        }
        let reading = importOptions(arguments)
        let fileExtension = path.flatMap { $0.split(separator: "/").last?.split(separator: ".").dropFirst().last }
        if !arguments[TransferParams.copy],
            let importer = try plugins.importer(
                name, fileExtension.map { String($0).lowercased() },
                isOwn: {
                    guard let path else { return true }
                    let contents = try FileToImport(path).contents()
                    return (try? MoodImport.format(of: contents.bytes, reading)) != nil
                })
        {
            return try importByPlugin(importer, arguments)
        }
        let file: FileToImport
        if let path {
            file = try FileToImport(path)
        } else {
            file = FileToImport(text: arguments[TransferParams.text]?.withDecoded { Array($0) } ?? [])
        }
        let job = ImportJob(
            file: file, format: name.flatMap { ImportFormat(rawValue: $0) }, options: reading,
            isStrict: arguments[TransferParams.strict], replaces: arguments[TransferParams.replace],
            isDryRun: arguments.isDryRun, isCopy: arguments[TransferParams.copy],
            takesDamaged: arguments[TransferParams.damagedCopy], limits: options.limits, now: now)
        // The loop asks hooks, and `atOnce` requests need the result when they return: neither can go to the helper
        // thread.
        if file.isLarge, request.ways.isDisjoint(with: [.atOnce, .again]),
            !pluginFlags.contains(.changeHooks)
        {
            return changeBesideLoop(
                Method(TransferMethods.import), arguments, .init(message: "Reading", done: 0, total: file.byteCount)
            ) { (store, work, answer) throws in
                try job.run(&store, to: &answer) { (done, total) throws in
                    try work.goOn()
                    work.tell(done, total)
                }
            }
        }
        try job.run(&store, to: &out) { (_, _) throws in
            if Interruption.time != nil { throw RPCError.shuttingDown }
        }
        storeMayBeThere()
        // If the settings here cannot be used, nothing is imported.
        if store.givenSettings != nil { _ = try settings() }
        return nil
    }

    /// The options of a reader. Times without a zone get that of the call, of the command line, or the setting.
    private mutating func importOptions(_ arguments: borrowing Arguments) -> ImportOptions {
        var import_ = importOptions()
        if let zone = arguments[TransferParams.timeZone] {
            import_.timeZone = (zone, true)
        } else if let zone = timeZone(nil) {
            import_.timeZone = (zone, false)
        }
        for member in arguments[TransferParams.map].flatMap({ JSONValue($0).object }) ?? [] {
            import_.map.append((member.name, member.value.string ?? member.value.text))
        }
        import_.dateFormat = arguments[TransferParams.dateFormat]
        return import_
    }

    /// The options from the user's settings.
    mutating func importOptions() -> ImportOptions {
        var import_ = ImportOptions()
        import_.feelings = usableSettings().palette.entries.map {
            KnownFeeling(emoji: $0.emoji, label: $0.label, valence: $0.valence, aliases: $0.aliases)
        }
        return import_
    }
}
