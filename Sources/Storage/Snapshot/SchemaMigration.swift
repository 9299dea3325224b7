/// How a document of an earlier schema version becomes records of today's; handed in, because this layer knows none.
///
/// (Where readers come from: `SchemaMigrationPlan` of SwiftData, `Migration` of Room, `NSMappingModel` of Core Data;
/// but a function of bytes, so that migrating twice gives the same.)
public struct SchemaMigration: Sendable {
    /// No larger document is migrated, in bytes.
    public static let documentBytesMax = 1 << 30
    /// No record and no list of unknown members is longer, in bytes.
    public static let recordBytesMax = RecordStore.recordBytesMax

    /// Why a document cannot be migrated.
    public struct Problem: Error, Sendable, Equatable {
        /// Where in the document, in bytes.
        public var offset: Int
        /// A clause for people, that begins with what it is about.
        public var reason: String
        /// Whether the document is no JSON at all, which no earlier version has written.
        public var isDamage: Bool

        public init(offset: Int, reason: String, isDamage: Bool) {
            self.offset = offset
            self.reason = reason
            self.isDamage = isDamage
        }
    }

    /// Checks a whole document and says what becomes of it. The same bytes always give the same.
    ///
    /// The bytes must stay where they are as long as the answer is used.
    public let migrate: @Sendable (UnsafeRawBufferPointer) throws(Problem) -> MigratedDocument

    public init(_ migrate: @escaping @Sendable (UnsafeRawBufferPointer) throws(Problem) -> MigratedDocument) {
        self.migrate = migrate
    }
}

/// A document of an earlier version, checked, as what it becomes.
public struct MigratedDocument {
    /// How many records there are.
    public let count: Int
    /// The members of the document that nobody knows, each as `,"name":value` without line feeds, in their order.
    public let unknownMembers: [UInt8]
    /// Hands over every record, in the order of a snapshot, each valid during its call only.
    public let records: ((UnsafeRawBufferPointer) -> Void) -> Void

    public init(
        count: Int, unknownMembers: [UInt8], records: @escaping ((UnsafeRawBufferPointer) -> Void) -> Void
    ) {
        self.count = count
        self.unknownMembers = unknownMembers
        self.records = records
    }
}
