import Platform

/// Reads a snapshot from beginning to end and tells of every record and of whatever breaks the layout, which `SnapshotReader` has.
/// That one opens a store and stops at the first thing that is not right; the whole check and salvage go on.
struct SnapshotScan {
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
        try self.init(file, in: fileSystem, unreadable: { (error, _) in error }) { (finding) throws(SystemError) in
            found(finding)
        }
    }

    /// - Parameter unreadable: what a failed read at an offset is.
    /// - Throws: that, and what `found` throws: nothing more is read then.
    init<Failure: Error>(
        _ file: borrowing File, in fileSystem: FileSystem, unreadable: (SystemError, _ offset: Int) -> Failure,
        found: (Finding) throws(Failure) -> Void
    ) throws(Failure) {
        var lines = LineReader(file.descriptor, from: 0, in: fileSystem)
        while true {
            let line: LineReader.Line?
            do {
                line = try lines.next()
            } catch {
                throw unreadable(error, lines.offset)
            }
            guard let line else { break }
            bytes = line.end
            try read(line, found)
        }
        if !isClosed { try found(.problem(offset: bytes, "ends before its closing line")) }
    }

    private mutating func read<Failure: Error>(
        _ line: LineReader.Line, _ found: (Finding) throws(Failure) -> Void
    ) throws(Failure) {
        if isClosed {
            isSealed = false
            try found(.problem(offset: line.offset, "goes on after its closing line"))
        } else if line.bytes.first == UInt8(ascii: "]") {
            return try close(line, found)
        }
        if !isClosed, let start = line.bytes.baseAddress {
            let count = line.bytes.count + (line.isTerminated ? 1 : 0)
            checksum = CRC32C.checksum(UnsafeRawBufferPointer(start: start, count: count), seed: checksum)
        }
        if line.offset == 0 {
            header = SnapshotHeader(line: line.bytes)
            if header != nil { return }
            try found(.problem(offset: 0, "does not begin with the header of a store"))
        }
        if line.isOverlong {
            return try found(.problem(offset: line.offset, "holds a line that is longer than any record"))
        }
        try readRecord(line, found)
    }

    private mutating func readRecord<Failure: Error>(
        _ line: LineReader.Line, _ found: (Finding) throws(Failure) -> Void
    ) throws(Failure) {
        var bytes = line.bytes
        let endsWithComma = bytes.last == UInt8(ascii: ",")
        if endsWithComma { bytes = UnsafeRawBufferPointer(rebasing: bytes.dropLast()) }
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
            // The header's place is told of already.
            if line.offset > 0 { try found(.problem(offset: line.offset, "holds a line that is not a record")) }
            // What stood there may have had a comma or none.
            (lacksComma, hasComma) = (false, false)
            return
        }
        if lacksComma { try found(.problem(offset: line.offset, "lacks a comma before a record")) }
        (lacksComma, hasComma) = (!endsWithComma, endsWithComma)
        records += 1
        try found(.record(bytes, offset: line.offset))
    }

    private mutating func close<Failure: Error>(
        _ line: LineReader.Line, _ found: (Finding) throws(Failure) -> Void
    ) throws(Failure) {
        isClosed = true
        if hasComma { try found(.problem(offset: line.offset, "has a comma after its last record")) }
        let seal = UnsafeRawBufferPointer(rebasing: line.bytes.dropFirst(2))
        guard line.bytes.count > 2, line.bytes[1] == UInt8(ascii: ","), Seal.digits(in: seal) != nil else {
            return try found(.problem(offset: line.offset, "has a damaged closing line"))
        }
        isSealed = Seal.matches(seal, checksum) && line.isTerminated
    }
}
