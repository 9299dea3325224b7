/// What is found on the disk while a store is opened, in order. The bytes are valid during the call only.
public enum LoadEvent {
    /// A record of the snapshot: one JSON object.
    case record(UnsafeRawBufferPointer)
    /// A record that a commit wrote: one JSON object.
    case put(UnsafeRawBufferPointer)
    /// The id (36 bytes) of a record that a commit deleted.
    case delete(id: UnsafeRawBufferPointer)
    /// A commit deleted every record.
    case clear
}
