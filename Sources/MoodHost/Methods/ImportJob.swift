import JSONCodec
import JSONRPC
import MoodCore
import MoodFormats
import MoodProtocol
import MoodStore

/// `store.import` of one of our own formats: all that it takes besides the store, so that it can be done in any thread.
struct ImportJob: Sendable {
    let file: FileToImport
    /// Nil: as the file tells.
    let format: ImportFormat?
    let options: ImportOptions
    let isStrict: Bool
    let replaces: Bool
    let isDryRun: Bool
    let limits: Limits
    let now: Timestamp
    /// Whether a store that is not there is made for the first mood that is to be kept: an import is long, and is then done once,
    /// not tried first.
    let makesStore: Bool

    /// Takes the moods into the commit of the present request, which stays open, and writes the answer.
    /// - Parameter goOn: called now and then with the bytes read and their number; throws where nobody wants it any more.
    /// - Returns: the settings in the file, which are right.
    func run(
        _ store: inout MoodRecords, to out: inout JSONWriter,
        goOn: (_ done: Int, _ total: Int) throws(RPCError) -> Void
    ) throws(RPCError) -> [[UInt8]] {
        let contents = try file.contents()
        let moods: MoodImport
        do throws(UnreadableFile) {
            moods = try MoodImport(contents.bytes, as: format, options)
        } catch {
            throw Arguments.error(error.reason, at: "/" + (error.param == "text" ? file.param : error.param))
        }
        var taker = ImportTaker(
            limits, options, now: now, replaces: replaces, ImportTally(strict: isStrict, file.param))
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
                case .mood(let mood):
                    if store.isRehearsing, makesStore, !isDryRun, !isStrict, taker.isRight(mood) {
                        store.waitHere()
                        do throws(MoodStoreError) {
                            try store.openForWriting()
                        } catch {
                            throw RPCError(changing: error)
                        }
                    }
                    try taker.take(mood, into: &store)
                }
            }
        }
        try contents.check()
        if let name = moods.unusedName {
            throw Arguments.error("names \"\(name.prefix(64))\", which is nowhere in the file", at: "/map")
        }
        try taker.tally.finish(to: &out)
        return chosen
    }
}

extension RPCError {
    /// Why the store was not changed.
    init(changing error: MoodStoreError) {
        if case .storage(let error) = error {
            self.init(error, forWriting: true)
        } else {
            self.init(error)
        }
    }
}
