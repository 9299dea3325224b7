import JSONCodec
import MoodStore
import Replication

/// The form of records and snapshots on a transport: plain, or encoded by a filter.
struct LineCoder {
    /// The bytes of a snapshot that a filter gets at once.
    private static let pieceBytes = 256 << 10

    let journal: UUID
    let filter: SyncFilter?
    let isCancelled: @Sendable () -> Bool

    // MARK: Records

    func line(_ record: Record) throws(SyncError) -> TransportLine {
        var text = record.line
        if let filter {
            let sealed = Base64URL.encode(try filter.seal(text, isCancelled: isCancelled))
            text = CarriedLine.sealed(sealed, of: record.replica, number: record.number)
        }
        return TransportLine(replica: record.replica, number: record.number, text: text)
    }

    /// The outcome of reading a line.
    enum Read {
        case record(Record)
        case fault(RecordFault)
        /// The line did not pass the filter of this journal.
        case unsealed
    }

    func record(_ line: TransportLine) throws(SyncError) -> Read {
        let bytes: [UInt8]
        if filter != nil, isPlain(line.text) { return .unsealed }
        switch try opened(line.text) {
        case .success(let text): bytes = text
        case .failure(let fault): return .fault(fault)
        }
        let record: Result<Record, RecordFault> = bytes.withUnsafeBytes { bytes in
            do throws(RecordFault) { return .success(try Record(line: bytes)) } catch { return .failure(error) }
        }
        switch record {
        case .failure(let fault): return .fault(fault)
        case .success(let record):
            guard record.replica == line.replica, record.number == line.number, record.journal == journal else {
                return .fault(.unknown("it belongs to another replica or journal"))
            }
            return .record(record)
        }
    }

    /// Whether no filter has encoded the text.
    func isPlain(_ text: [UInt8]) -> Bool {
        if text.starts(with: Self.plainStart) { return true }
        // A later step finds out that the line cannot be read.
        let line = Array(text.prefix { $0 != UInt8(ascii: "\n") })
        return line.withUnsafeBytes { line in
            do throws(RecordFault) { return try CarriedLine.sealed(in: line) == nil } catch { return false }
        }
    }

    /// Decodes a line with the filter.
    private func opened(_ text: [UInt8]) throws(SyncError) -> Result<[UInt8], RecordFault> {
        // A line with this beginning is plain, and is checked when it is read.
        if text.starts(with: Self.plainStart) { return .success(text) }
        let sealed: Result<[UInt8]?, RecordFault> = text.withUnsafeBytes { bytes in
            do throws(RecordFault) { return .success(try CarriedLine.sealed(in: bytes)) } catch {
                return .failure(error)
            }
        }
        switch sealed {
        case .failure(let fault): return .failure(fault)
        case .success(nil): return .success(text)
        case .success(let sealed?):
            guard let filter else { throw Self.filterMissing }
            guard let bytes = Base64URL.decode(sealed) else { return .failure(.unknown("sealed is not base64url")) }
            return .success(try filter.open(bytes, isCancelled: isCancelled))
        }
    }

    private static let plainStart = Array(#"{"v":1,"journal":"#.utf8)
    private static let filterMissing = SyncError.refused(
        reason: "What is there went through a filter. Say sync.setup again with the same url and the filter.")

    // MARK: Snapshots

    /// Encodes a snapshot for the transport.
    func sealed(_ text: [UInt8]) throws(SyncError) -> [UInt8] {
        guard let filter else { return text }
        var sealed: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: Self.pieceBytes) {
            let piece = Array(text[start..<min(start + Self.pieceBytes, text.count)])
            sealed += CarriedLine.sealed(Base64URL.encode(try filter.seal(piece, isCancelled: isCancelled)))
            sealed.append(UInt8(ascii: "\n"))
        }
        return sealed
    }

    /// The contents of a snapshot and its plain text; nil if it is incomplete, or belongs to another journal.
    func snapshot(_ text: [UInt8]) throws(SyncError) -> (fold: Fold, text: [UInt8])? {
        var plain: [UInt8] = text
        if filter != nil, isPlain(text) { return nil }
        if !text.starts(with: Self.plainStart) {
            plain = []
            var lines: [[UInt8]] = []
            Lines.forEach(in: text) { line, _ in
                lines.append(Array(line))
                return true
            }
            for line in lines {
                guard case .success(let piece) = try opened(line) else { return nil }
                plain += piece
            }
        }
        guard let (fold, journal) = SnapshotText.fold(plain), journal == self.journal else { return nil }
        return (fold, plain)
    }
}
