/// A place in the files because of which a store shows less than was acknowledged, or something else.
///
/// A class, so that a store which has none is one word larger for it.
public final class StoreDamage: Sendable, Equatable {
    public let file: String
    /// The place in the file, in bytes; nil if unknown.
    public let offset: Int?
    /// The last shown commit.
    public let shown: Int
    /// The last commit known to have been acknowledged, if later than `shown`.
    public let durable: Int?
    /// A sentence for people: what is wrong, and what to do.
    public let reason: String

    init(file: String, offset: Int?, shown: Int, durable: Int?, reason: String) {
        self.file = file
        self.offset = offset
        self.shown = shown
        self.durable = durable.flatMap { $0 > shown ? $0 : nil }
        self.reason = reason
    }

    /// The damage in an error; nil if the error is of another kind.
    convenience init?(_ error: StorageError, shown: Int, durable: Int?) {
        guard case .corrupt(let file, let offset, let reason) = error else { return nil }
        self.init(file: file, offset: offset, shown: shown, durable: durable, reason: reason)
    }

    public static func == (a: StoreDamage, b: StoreDamage) -> Bool {
        a.file == b.file && a.offset == b.offset && a.shown == b.shown && a.durable == b.durable && a.reason == b.reason
    }
}

extension StoreDamage {
    /// Sentences for people: how many of the acknowledged commits are shown, then the reason.
    public var summary: String {
        durable.map { "Of \($0) commits that were acknowledged, the first \(shown) are shown. \(reason)" }
            ?? "What is shown may not be all that was acknowledged. \(reason)"
    }
}

extension RecordStore {
    /// The damage because of which less is shown than was acknowledged; nil if none is known.
    public var damage: StoreDamage? { files?.damage ?? foundDamage }

    /// Logs damage that is new since the last call.
    mutating func tellOfDamage() {
        let damage = damage
        defer { toldDamage = damage }
        guard let damage, damage != toldDamage, let files else { return }
        files.settings.log("\(files.directory) is not whole. \(damage.summary)")
    }
}
