import JSONCodec
import JSONRPC
import MoodCore
import MoodFormats
import MoodProtocol
import MoodStore
import Platform
import Storage

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
        let bytes = try file.bytes()
        let moods: MoodImport
        do throws(UnreadableFile) {
            moods = try MoodImport(bytes, as: format ?? ImportFormat(detecting: bytes), options)
        } catch {
            throw Arguments.error(error.reason, at: "/" + (error.param == "text" ? file.param : error.param))
        }
        var taker = ImportTaker(limits, now: now, replaces: replaces, ImportTally(strict: isStrict, file.param))
        var chosen: [[UInt8]] = []
        let ahead = ImportAhead(moods, isAhead: file.isLarge)
        while let batch = ahead.next() {
            try goOn(batch.bytesRead, bytes.count)
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
        try taker.tally.finish(to: &out)
        return chosen
    }
}

/// The text that is imported.
struct FileToImport: Sendable {
    /// Nil where the text was given.
    private let path: String?
    private let text: [UInt8]
    let byteCount: Int
    /// Whether reading it takes so long that it is done beside the loop.
    var isLarge: Bool { byteCount > Self.bytesAtOnceMax }
    private static let bytesAtOnceMax = 128 << 10

    init(text: [UInt8]) {
        path = nil
        self.text = text
        byteCount = text.count
    }

    /// - Throws: where that is no file to read.
    init(_ path: String) throws(RPCError) {
        self.path = path
        text = []
        do throws(SystemError) {
            byteCount = try Self.size(File(path, .read, in: .system), path)
        } catch {
            throw Self.unreadable(error)
        }
    }

    /// The param that it came with.
    var param: String { path == nil ? "text" : "path" }

    /// All of it.
    func bytes() throws(RPCError) -> [UInt8] {
        guard let path else { return text }
        do throws(SystemError) {
            let file = try File(path, .read, in: .system)
            let size = try Self.size(file, path)
            var bytes = ByteBuffer(capacity: size + 1)
            try bytes.append(upTo: size) { (room) throws(SystemError) in try file.read(room, at: 0) }
            return Array(bytes.bytes)
        } catch {
            throw Self.unreadable(error)
        }
    }

    private static func unreadable(_ error: SystemError) -> RPCError {
        Arguments.error("cannot be read: \(error)", at: "/path")
    }

    private static func size(_ file: borrowing File, _ path: String) throws(SystemError) -> Int {
        let status = try file.status()
        guard status.kind == .regular else { throw SystemError(call: "open", subject: path, code: EINVAL) }
        guard status.size <= MoodImport.bytesMax else { throw SystemError(call: "read", subject: path, code: EFBIG) }
        return status.size
    }
}

/// Takes moods from a file into the store, and counts what becomes of them.
struct ImportTaker: ~Copyable {
    var tally: ImportTally
    private let limits: Limits
    private let now: Timestamp
    private let replaces: Bool
    private var scratch = JSONWriter(capacity: 4096)
    private var validator = JSONValidator(depthLimit: JSONValidator.depthMax)

    init(_ limits: Limits, now: Timestamp, replaces: Bool, _ tally: ImportTally) {
        self.limits = limits
        self.now = now
        self.replaces = replaces
        self.tally = tally
    }

    /// A mood of the file without U+0000, which no text of it may hold.
    private static func withoutNullCharacter(_ mood: ImportedMood) -> [UInt8] {
        mood.json.withUnsafeBytes { json in
            NullCharacter.offset(in: json) == nil ? mood.json : NullCharacter.removed(from: json)
        }
    }

    /// Whether there is nothing wrong with what the file says of a mood.
    mutating func isRight(_ mood: ImportedMood) -> Bool {
        Self.withoutNullCharacter(mood).withUnsafeBytes { bytes in
            do throws(JSONError) {
                let outline = try validator.validate(bytes)
                return outline.duplicate == nil && ImportedMoodRule.problem(outline.text, limits) == nil
            } catch {
                return false
            }
        }
    }

    /// Takes one mood, or notes why not.
    mutating func take(_ mood: ImportedMood, into store: inout MoodRecords) throws(RPCError) {
        func problem(_ member: String?, _ reason: String) -> ImportProblem {
            ImportProblem(line: mood.line, column: member.flatMap { mood.columns[$0] }, reason: reason, text: mood.text)
        }
        var failure: RPCError?
        let json = Self.withoutNullCharacter(mood)
        if json.count < mood.json.count {
            let reason = "A text of it holds the character U+0000, which is left off."
            tally.add(ImportProblem(line: mood.line, reason: reason, text: mood.text, isKept: true))
        }
        json.withUnsafeBytes { bytes in
            do throws(JSONError) {
                let outline = try validator.validate(bytes)
                if outline.duplicate != nil { return tally.add(problem(nil, "A name stands twice.")) }
                if let wrong = ImportedMoodRule.problem(outline.text, limits) {
                    return tally.add(problem(wrong.member, "\(wrong.member) \(wrong.reason)."))
                }
                do throws(MoodStoreError) {
                    tally.add(
                        try store.importMood(
                            outline.text, carriesID: mood.carriesID, replaces: replaces, at: now, &scratch))
                } catch {
                    if case .storage = error {
                        failure = RPCError(changing: error)
                    } else {
                        tally.add(problem(nil, RPCError(error).message))
                    }
                }
            } catch {
                tally.add(problem(nil, "This is not JSON: \(error.reason)."))
            }
        }
        if let failure { throw failure }
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
