import Platform

/// Reads a snapshot to its end, whatever is wrong in it: for the whole check and for salvage. `SnapshotReader`, which
/// opens a store, has the layout, and stops at the first thing that is not right.
struct SnapshotSurvey {
    enum Finding {
        /// Bytes between braces; whether they are a record is for the caller to say.
        case record(UnsafeRawBufferPointer, offset: Int)
        /// Something that breaks the layout, as a clause about the file: "holds a line that is not a record".
        case problem(offset: Int, String)
    }

    /// Nil where the first line is not a header.
    var header: SnapshotHeader?
    /// Lines that look like records.
    var records = 0
    /// The size of the file.
    var bytes = 0
    /// Whether there is a closing line.
    private(set) var isClosed = false
    /// Whether it is the last line, ended, and says the checksum that the bytes before it have.
    var isSealed = false

    private var checksum: UInt32 = 0
    /// Whether the line before was a record without a comma.
    private var lacksComma = false
    /// Whether the line before was a record with one.
    private var hasComma = false

    init(
        _ file: borrowing File, in fileSystem: FileSystem, found: (Finding) -> Void
    ) throws(SystemError) {
        var lines = LineReader(file.descriptor, from: 0, in: fileSystem)
        while let line = try lines.next() {
            bytes = line.end
            read(line, found)
        }
        if !isClosed { found(.problem(offset: bytes, "ends before its closing line")) }
    }

    private mutating func read(_ line: LineReader.Line, _ found: (Finding) -> Void) {
        if isClosed {
            isSealed = false
            found(.problem(offset: line.offset, "goes on behind its closing line"))
        } else if line.bytes.first == UInt8(ascii: "]") {
            return close(line, found)
        }
        if !isClosed, let start = line.bytes.baseAddress {
            let count = line.bytes.count + (line.isTerminated ? 1 : 0)
            checksum = CRC32C.checksum(UnsafeRawBufferPointer(start: start, count: count), seed: checksum)
        }
        if line.offset == 0 {
            header = SnapshotHeader(line: line.bytes)
            if header != nil { return }
            found(.problem(offset: 0, "does not begin with the header of a store"))
        }
        if line.isOverlong {
            return found(.problem(offset: line.offset, "holds a line that is longer than any record"))
        }
        readRecord(line, found)
    }

    private mutating func readRecord(_ line: LineReader.Line, _ found: (Finding) -> Void) {
        var bytes = line.bytes
        let endsWithComma = bytes.last == UInt8(ascii: ",")
        if endsWithComma { bytes = UnsafeRawBufferPointer(rebasing: bytes.dropLast()) }
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
            // The header's place is told of already.
            if line.offset > 0 { found(.problem(offset: line.offset, "holds a line that is not a record")) }
            // What stood there may have had a comma or none.
            (lacksComma, hasComma) = (false, false)
            return
        }
        if lacksComma { found(.problem(offset: line.offset, "lacks a comma before a record")) }
        (lacksComma, hasComma) = (!endsWithComma, endsWithComma)
        records += 1
        found(.record(bytes, offset: line.offset))
    }

    private mutating func close(_ line: LineReader.Line, _ found: (Finding) -> Void) {
        isClosed = true
        if hasComma { found(.problem(offset: line.offset, "has a comma behind its last record")) }
        let seal = UnsafeRawBufferPointer(rebasing: line.bytes.dropFirst(2))
        guard line.bytes.count > 2, line.bytes[1] == UInt8(ascii: ","), Seal.digits(in: seal) != nil else {
            return found(.problem(offset: line.offset, "has a damaged closing line"))
        }
        isSealed = Seal.matches(seal, checksum) && line.isTerminated
    }
}
