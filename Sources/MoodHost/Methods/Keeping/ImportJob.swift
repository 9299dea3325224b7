import JSONCodec
import JSONRPC
import MoodCore
import MoodFormats
import MoodProtocol
import MoodStore

/// `store.import` of one of the host's own formats: everything it needs besides the store, so that any thread can do
/// it.
struct ImportJob: Sendable {
    let file: FileToImport
    /// Nil: the format is detected.
    let format: ImportFormat?
    let options: ImportOptions
    let isStrict: Bool
    let replaces: Bool
    let isDryRun: Bool
    /// Whether the file is a copy of a store, and then whether the rest of a damaged copy is taken.
    let isCopy: Bool
    let takesDamaged: Bool
    let limits: Limits
    let now: Timestamp

    /// Takes the moods into the commit of the present request, which stays open, and writes the answer. Valid settings in the file go
    /// with it (`MoodRecords.givenSettings`).
    /// - Parameter goOn: called now and then with the bytes read and their total; throws to cancel.
    func run(
        _ store: inout MoodRecords, to out: inout JSONWriter,
        goOn: (_ done: Int, _ total: Int) throws -> Void
    ) throws {
        if isDryRun { store.rehearse() }
        // A commit that is too long for memory makes the store before its end.
        if store.isAbsent { store.waitHere() }
        let contents = try isCopy ? ImportedContents(file.bytes()) : file.contents()
        var tally = tally
        if isCopy { try beginCopy(contents.bytes.whole, &tally, &store) }
        if !isCopy { try refuseDamagedCopy(contents.bytes) }
        let moods: MoodImport
        do throws(UnreadableFile) {
            moods = try MoodImport(contents.bytes, as: isCopy ? .jsonl : format, options)
        } catch {
            throw Arguments.error(error.reason, at: "/" + (error.param == "text" ? file.param : error.param))
        }
        var taker = ImportTaker(limits, options, now: now, replaces: replaces, isCopy: isCopy, tally)
        var chosen: [[UInt8]] = []
        let ahead = ImportAhead(moods, isAhead: file.isLarge)
        while let batch = ahead.next() {
            try goOn(batch.bytesRead, file.byteCount)
            for item in batch.items {
                switch item {
                case .problem(let problem): taker.tally.add(problem)
                case .settings(let line, let given):
                    if let reason = Core.problem(ofSettings: given) {
                        taker.tally.add(ImportProblem(line: line, column: nil, reason: reason, text: ""))
                    } else {
                        chosen.append(given)
                    }
                case .mood(let mood): try taker.take(mood, into: &store)
                }
            }
        }
        try contents.check()
        if let refusal = moods.refusal {
            throw Arguments.error(refusal.reason, at: "/" + (refusal.param == "text" ? file.param : refusal.param))
        }
        try taker.tally.finish(to: &out)
        if !isDryRun, !chosen.isEmpty { store.givenSettings = GivenSettings(texts: chosen, replaces: replaces) }
    }

    /// Whether one unreadable item refuses the whole file: part of a copy is no restoration.
    private var refusesProblems: Bool { isCopy ? !takesDamaged : isStrict }

    private var tally: ImportTally {
        ImportTally(strict: refusesProblems, file.param, isCopy: isCopy)
    }

    /// The length of the beginning and of the end that show a copy.
    private static let copyMarkBytes = 512

    /// Refuses a copy of `mood backup` from which something is missing, though it is imported as any other file.
    private func refuseDamagedCopy(_ bytes: ImportBytes) throws {
        let ends = [bytes.head(Self.copyMarkBytes), bytes.tail(Self.copyMarkBytes)]
        guard ends.contains(where: { String(decoding: $0, as: UTF8.self).contains("\"\(MoodCopy.format)") }) else {
            return
        }
        switch MoodCopy.examine(bytes.whole) {
        case .damaged(let reason, _):
            throw Arguments.error(
                "is a damaged copy of a store: \(reason). Nothing was taken; store.import with copy and damaged takes what"
                    + " is there", at: "/" + file.param)
        case .foreign(let reason): throw Arguments.error(reason, at: "/" + file.param)
        case .whole, .unchecked: break
        }
    }

    /// Checks the copy as a whole, and takes the contents of its first line.
    private func beginCopy(
        _ bytes: [UInt8], _ tally: inout ImportTally, _ store: inout MoodRecords
    ) throws {
        var known: MoodCopy?
        switch MoodCopy.examine(bytes) {
        case .foreign(let reason): throw Arguments.error(reason, at: "/" + file.param)
        case .unchecked:
            try checkIsJSONLines(bytes)
            tally.isChecked = false
        case .whole(let copy):
            known = copy
            tally.isChecked = true
        case .damaged(let reason, let copy):
            guard takesDamaged else {
                throw Arguments.error(
                    "is needed to take what is there of this copy: \(reason). Nothing was taken", at: "/damaged")
            }
            known = copy
            tally.isChecked = false
            let sentence: String = reason.prefix(1).uppercased() + reason.dropFirst() + "."
            tally.add(ImportProblem(line: 0, reason: sentence, loss: .none))
        }
        guard let known else { return }
        guard known.schemaVersion <= MoodRecords.schemaVersion else {
            throw Arguments.error(
                "is a copy of a store of schema version \(known.schemaVersion), and this program knows"
                    + " \(MoodRecords.schemaVersion) at most: take a newer one", at: "/" + file.param)
        }
        guard !isDryRun else { return }
        try store.adopt(document: known.document, replaces: replaces)
    }

    private func checkIsJSONLines(_ bytes: [UInt8]) throws {
        let format: ImportFormat
        do throws(UnreadableFile) { format = try MoodImport.format(of: ImportBytes(bytes), options) } catch {
            throw Arguments.error(error.reason, at: "/" + file.param)
        }
        guard format == .jsonl else {
            throw Arguments.error(
                "is no copy that 'mood backup' wrote: it looks like \(format.rawValue), which 'mood import' takes",
                at: "/" + file.param)
        }
    }
}
