/// A place where bytes from outside come in, with its properties for any of them.
public struct FuzzTarget: ~Copyable {
    public enum Name: String, CaseIterable, Sendable {
        case answer, formats, frame, index, journal, json, life, manifest, migration, schema, snapshot
    }

    private let name: Name
    private let answer = AnswerTarget()
    private let formats = FormatsTarget()
    private var frame = FrameTarget()
    private var json = JSONTarget()
    private let life = LifeTarget()
    private let manifest = ManifestTarget()
    private let migration = MigrationTarget()
    private var index = IndexTarget()
    private var journal = JournalTarget()
    private let schema = SchemaTarget()
    private var snapshot = SnapshotTarget()

    public init(_ name: Name) { self.name = name }

    /// - Throws: the violated property. The search also looks for traps.
    public mutating func check(_ input: [UInt8]) throws(Violation) {
        switch name {
        case .answer: try answer.check(input)
        case .formats: try formats.check(input)
        case .frame: try frame.check(input)
        case .json: try json.check(input)
        case .life: try life.check(input)
        case .manifest: try manifest.check(input)
        case .migration: try migration.check(input)
        case .schema: try schema.check(input)
        case .index: try index.check(input)
        case .journal: try journal.check(input)
        case .snapshot: try snapshot.check(input)
        }
    }

    /// The inputs at the beginning of a search.
    public static func seeds(_ name: Name) -> [[UInt8]] {
        switch name {
        case .answer: AnswerTarget.seeds
        case .formats: FormatsTarget.seeds
        case .frame: Seeds.frame
        case .json: Seeds.json.map { Array($0.utf8) }
        case .migration: Seeds.migration.map { Array($0.utf8) } + Seeds.migrationChoices
        case .life: LifeTarget.seeds
        case .manifest: ManifestTarget.seeds
        // Every byte is a choice.
        case .schema:
            (0..<64).map { seed in (0..<96).map { UInt8(truncatingIfNeeded: ($0 + 1) &* (2 * seed + 1) &* 73) } }
        case .index: PlainSnapshot.seeds
        case .journal: JournalSeeds.all
        // The first byte has the same meaning for both, except where it chooses between them.
        case .snapshot: PlainSnapshot.seeds.filter { $0.count > 64 }
        }
    }

    /// Useful pieces for insertion.
    public static func tokens(_ name: Name) -> [[UInt8]] {
        switch name {
        case .formats: FormatsTarget.tokens
        case .frame: Seeds.frameTokens.map { Array($0.utf8) } + Seeds.frameBytes
        case .json: Seeds.jsonTokens.map { Array($0.utf8) } + Seeds.jsonBytes
        case .migration: (Seeds.migrationTokens + Seeds.jsonTokens).map { Array($0.utf8) } + Seeds.jsonBytes
        case .answer, .manifest: Seeds.jsonTokens.map { Array($0.utf8) }
        case .life, .schema: (0..<24).map { [$0] }
        case .index, .snapshot: PlainSnapshot.tokens
        case .journal: JournalSeeds.tokens
        }
    }
}
