import JSONCodec

/// The member of a snapshot's first line that names its outcomes: `"operations":{"generation":G,"count":N}`.
///
/// It says that `operations-G.jsonl` must exist, and how many operations it has. Earlier versions keep it, as every
/// unknown member; so it counts only in the snapshot of its own generation. With nothing to keep there is none.
struct OperationsMark: Equatable {
    var generation: Int
    var count: Int

    /// The place of the mark among members of the form `,"name":value`, and its value.
    /// - Returns: nil if there is none; a nil mark for a member of that name with another meaning.
    private static func find(in members: UnsafeRawBufferPointer) -> (range: Range<Int>, mark: OperationsMark?)? {
        var depth = 0
        var isString = false
        var at = 0
        while at < members.count {
            let byte = members[at]
            if isString {
                if byte == UInt8(ascii: "\\") { at += 1 }
                if byte == UInt8(ascii: "\"") { isString = false }
            } else if byte == UInt8(ascii: ",") && depth == 0 {
                var matcher = ByteMatcher(UnsafeRawBufferPointer(rebasing: members[at...]))
                if matcher.take(",\"operations\":") {
                    let mark = OperationsMark(&matcher)
                    return (at..<at + matcher.position, mark)
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
            }
            at += 1
        }
        return nil
    }

    /// Reads the value; then the next member follows or none.
    private init?(_ matcher: inout ByteMatcher) {
        guard matcher.take("{\"generation\":"), let generation = matcher.takeInteger(), matcher.take(",\"count\":"),
            let count = matcher.takeInteger(), matcher.take("}"), matcher.isAtEnd || matcher.isAt(UInt8(ascii: ","))
        else { return nil }
        self.init(generation: generation, count: count)
    }

    init(generation: Int, count: Int) {
        self.generation = generation
        self.count = count
    }

    /// The mark among the members of a snapshot.
    init?(in members: [UInt8]) {
        guard let mark = members.withUnsafeBytes({ Self.find(in: $0)?.mark }) else { return nil }
        self = mark
    }

    /// The members with this mark in place of another. A member of its name with another meaning stays, and then there
    /// is no mark.
    func placed(in members: [UInt8]) -> [UInt8] {
        var rest = members
        if let found = members.withUnsafeBytes({ Self.find(in: $0) }) {
            if found.mark == nil { return members }
            rest.removeSubrange(found.range)
        }
        if count == 0 { return rest }
        var buffer = ByteBuffer(capacity: 64 + rest.count)
        buffer.append(",\"operations\":{\"generation\":")
        buffer.append(integer: generation)
        buffer.append(",\"count\":")
        buffer.append(integer: count)
        buffer.append("}")
        rest.withUnsafeBytes { buffer.append($0) }
        return Array(buffer.bytes)
    }
}

extension SnapshotHeader {
    /// Number of operations that the operations file of its generation must have; 0 without a mark.
    var markedOperations: Int {
        guard let mark = OperationsMark(in: unknownMembers), mark.generation == generation else { return 0 }
        return mark.count
    }

    /// The snapshot with a mark of `count` operations.
    func marked(operations count: Int) -> SnapshotHeader {
        var header = self
        header.unknownMembers = OperationsMark(generation: generation, count: count).placed(in: unknownMembers)
        return header
    }
}
