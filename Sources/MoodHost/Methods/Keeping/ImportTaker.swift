import JSONCodec
import JSONRPC
import MoodCore
import MoodFormats
import MoodProtocol
import MoodStore

/// Takes moods from a file into the store, and counts the outcomes.
struct ImportTaker: ~Copyable {
    var tally: ImportTally
    private let limits: Limits
    private let repair: ImportRepair
    private let now: Timestamp
    private let replaces: Bool
    private let isCopy: Bool
    private var scratch = JSONWriter(capacity: 4096)
    private var validator = JSONValidator(depthLimit: JSONValidator.depthMax)

    /// - Parameter isCopy: whether the moods come from a store, so that the rules of requests do not apply.
    init(
        _ limits: Limits, _ options: ImportOptions, now: Timestamp, replaces: Bool, isCopy: Bool = false,
        _ tally: ImportTally
    ) {
        self.limits = ImportedMoodRule.limits(limits)
        repair = ImportRepair(limits: self.limits, options: options)
        self.now = now
        self.replaces = replaces
        self.isCopy = isCopy
        self.tally = tally
    }

    /// A mood of the file without U+0000, which texts must not contain; a mood of a copy is unchanged.
    private func withoutNullCharacter(_ mood: ImportedMood) -> ImportedMood {
        if isCopy { return mood }
        let json = mood.json.withUnsafeBytes { json in
            NullCharacter.offset(in: json) == nil ? nil : NullCharacter.removed(from: json)
        }
        guard let json else { return mood }
        var mood = mood
        mood.json = json
        let reason = "A text of it holds the character U+0000, which is left off."
        mood.leftOff.append(ImportProblem(line: mood.line, reason: reason, text: mood.text, loss: .part))
        return mood
    }

    /// Takes one mood, or records the problem.
    mutating func take(_ mood: ImportedMood, into store: inout MoodRecords) throws {
        let mood = withoutNullCharacter(mood)
        guard let fault = try takeAsItIs(mood, into: &store) else {
            for problem in mood.leftOff { tally.add(problem) }
            return
        }
        let mended = repair.mended(mood, fault)
        var left = mended.fault
        if left == nil { left = try takeAsItIs(mended.mood, into: &store) }
        if let left { return tally.add(left.problem(of: mood)) }
        for problem in mended.mood.leftOff { tally.add(problem) }
    }

    /// - Returns: the fault; nil if the mood was taken.
    private mutating func takeAsItIs(
        _ mood: ImportedMood, into store: inout MoodRecords
    ) throws -> ImportedMoodRule.Fault? {
        try mood.json.withUnsafeBytes { bytes in
            if let wrong = self.fault(in: bytes) { return wrong }
            do throws(MoodStoreError) {
                let outcome = try store.importMood(
                    ValidJSON(trusting: bytes), carriesID: mood.carriesID, says: mood.says, replaces: replaces,
                    isStored: isCopy, at: now, &scratch)
                tally.add(outcome)
                guard outcome == .repeated else { return nil }
                tally.add(
                    ImportProblem(
                        line: mood.line,
                        reason: "Its id stands before it in the file, with other content: the first is taken.",
                        text: mood.text, loss: .part))
            } catch {
                guard case .storage = error else {
                    return ImportedMoodRule.Fault(member: "", reason: RPCError(error).message)
                }
                throw error
            }
            return nil
        }
    }

    private mutating func fault(in json: UnsafeRawBufferPointer) -> ImportedMoodRule.Fault? {
        do throws(JSONError) {
            let outline = try validator.validate(json)
            if outline.duplicate != nil { return ImportedMoodRule.Fault(member: "", reason: "A name stands twice.") }
            if isCopy, MoodMembers(checking: outline.text) != nil { return nil }
            return ImportedMoodRule.problem(outline.text, limits)
        } catch {
            return ImportedMoodRule.Fault(member: "", reason: "This is not JSON: \(error.reason).")
        }
    }
}
