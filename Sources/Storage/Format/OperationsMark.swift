import JSONCodec

/// The member of a snapshot's first line that names its outcomes: `"operations":{"generation":G,"count":N}`.
///
/// It says that `operations-G.jsonl` is to be there, and how many operations are known from it. Earlier versions keep it as they
/// keep every member that they do not know; so it counts only in the snapshot of its own generation. There is none where nothing
/// has to be kept.
struct OperationsMark: Equatable {
    var generation: Int
    var count: Int

    /// Where it stands among members of the form `,"name":value`, and what it says.
    /// - Returns: nil where there is none; a mark of no generation for a member of that name which means something else.
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

    /// Reads the value, after which the next member follows or none.
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

    /// The same members with this mark in the place of another; a member of its name that means something else stays, and then
    /// there is no mark.
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
    /// How many operations are to be known from the operations file of its generation; 0 where nothing says so.
    var markedOperations: Int {
        guard let mark = OperationsMark(in: unknownMembers), mark.generation == generation else { return 0 }
        return mark.count
    }

    /// The same snapshot with so many operations beside it.
    func marked(operations count: Int) -> SnapshotHeader {
        var header = self
        header.unknownMembers = OperationsMark(generation: generation, count: count).placed(in: unknownMembers)
        return header
    }
}
