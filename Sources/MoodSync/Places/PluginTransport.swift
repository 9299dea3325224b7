import JSONCodec
import Replication

/// A plugin as transport: the requests `transport.*`, each of which may be repeated.
///
/// A record is `{replica, n, text}`. One that is longer than a message goes in parts, `{…, part, parts}`, in their
/// order.
struct PluginTransport: Transport {
    private static let partBytes = 512 << 10
    /// The bytes of records in a message: a message has 2 MiB, and little else is in it.
    private static let messageBytes = (2 << 20) - (64 << 10)
    /// The attempts to send again without progress.
    private static let attemptsMax = 5

    let copiesInParts = false
    private let scheme: String
    private let url: String
    private let journal: UUID?
    private let config: JSONValue
    private let peer: TransportPeer
    /// Texts that must not appear in errors.
    private let secrets: [String]
    /// Parts of a line whose last part is missing.
    private var partial: [UUID: (number: Int, parts: [[UInt8]])] = [:]

    /// - Parameter journal: nil while it is not known.
    init(_ url: String, scheme: String, journal: UUID?, config: JSONValue, _ peer: TransportPeer) {
        (self.scheme, self.url, self.journal, self.config, self.peer) = (scheme, url, journal, config, peer)
        secrets = ([SyncURL.secret(url)].compactMap { $0 } + Self.texts(config)).filter { $0.utf8.count >= 4 }
    }

    private static func texts(_ value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap { texts($0) }
        case .object(let members): members.flatMap { texts($0.value) }
        case .null, .boolean, .number: []
        }
    }

    // MARK: Asking

    private func ask(_ method: String, _ write: (inout JSONWriter) -> Void) throws(SyncError) -> JSONValue {
        let answer = try answer(method, write)
        let value = answer.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
        guard value.object != nil else { throw wrong(method, "no object") }
        return value
    }

    private func answer(_ method: String, _ write: (inout JSONWriter) -> Void) throws(SyncError) -> [UInt8] {
        var params = JSONWriter(capacity: 4096)
        params.beginObject()
        write(&params)
        params.endObject()
        do throws(SyncError) { return try peer.ask(scheme, method, Array(params.buffer.bytes)) } catch {
            switch error {
            case .offline(let reason): throw .offline(reason: shown(reason))
            case .refused(let reason): throw .refused(reason: shown(reason))
            case .notFound(let name, let reason): throw .notFound(name, reason: shown(reason))
            default: throw error
            }
        }
    }

    private func shown(_ reason: String) -> String {
        var text = reason
        for secret in secrets { text = text.replacing(secret, with: "***") }
        return text
    }

    private func wrong(_ method: String, _ what: String) -> SyncError {
        .refused(reason: "The plugin of \(scheme): answered \(method) with \(what).")
    }

    func open() throws(SyncError) -> [UUID] {
        let answer = try ask("transport.open") { params in
            params.key("url")
            params.string(url)
            params.key("config")
            config.write(to: &params)
            if let journal {
                params.key("journal")
                params.string(journal.text)
            }
        }
        guard let journals = answer["journals"]?.array else { throw wrong("transport.open", "no journals") }
        return journals.compactMap { $0.string.flatMap { UUID($0) } }.sorted()
    }

    // MARK: Sending

    private struct Piece {
        let number: Int
        let part: Int
        let parts: Int
        let text: ArraySlice<UInt8>
    }

    func push(_ lines: [TransportLine], of replica: UUID) throws(SyncError) -> Int {
        var pieces: [Piece] = []
        for line in lines {
            let slices = Self.pieces(line.text)
            for (part, slice) in slices.enumerated() {
                pieces.append(Piece(number: line.number, part: part, parts: slices.count, text: slice))
            }
        }
        var (place, attempts) = (0, 0)
        while true {
            let (message, end) = Self.message(pieces, from: place, replica)
            let answer = try ask("transport.push") { params in
                message.withUnsafeBytes { params.buffer.append($0) }
            }
            guard let last = answer["last"]?.integer, last >= 0 else { throw wrong("transport.push", "no last") }
            // The plugin must have this by now: the lines whose last part was sent.
            let wanted = pieces[..<end].last { $0.part + 1 == $0.parts }?.number ?? last
            if last >= wanted {
                place = end
                while place < pieces.count, pieces[place].number <= last { place += 1 }
            } else {
                attempts += 1
                guard attempts < Self.attemptsMax, let again = pieces.firstIndex(where: { $0.number == last + 1 })
                else { return last }
                place = again
            }
            if place >= pieces.count { return last }
        }
    }

    /// The params of one message.
    private static func message(_ pieces: [Piece], from start: Int, _ replica: UUID) -> (text: [UInt8], end: Int) {
        var params = JSONWriter(capacity: 4096)
        params.key("replica")
        params.string(replica.text)
        params.key("records")
        params.beginArray()
        var end = start
        while end < pieces.count {
            let piece = pieces[end]
            let bytes = piece.text.withUnsafeBytes { JSONWriter.contentsCount(utf8: $0) } + 160
            if end > start, params.count + bytes > messageBytes { break }
            params.beginObject()
            params.key("replica")
            params.string(replica.text)
            params.key("n")
            params.integer(piece.number)
            if piece.parts > 1 {
                params.key("part")
                params.integer(piece.part)
                params.key("parts")
                params.integer(piece.parts)
            }
            params.key("text")
            piece.text.withUnsafeBytes { params.string(utf8: $0) }
            params.endObject()
            end += 1
        }
        params.endArray()
        return (Array(params.buffer.bytes), end)
    }

    /// Splits a text, never within a character.
    private static func pieces(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while text.count - start > partBytes {
            var end = start + partBytes
            while text[end] & 0xc0 == 0x80, end > start + 1 { end -= 1 }
            pieces.append(text[start..<end])
            start = end
        }
        return pieces + [text[start...]]
    }

    // MARK: Receiving

    mutating func pull(_ have: Vector) throws(SyncError) -> Pulled {
        partial = partial.filter { $0.value.number == have[$0.key] + 1 }
        let known = partial
        let answer = try ask("transport.pull") { params in
            params.key("have")
            have.write(to: &params)
            guard !known.isEmpty else { return }
            // The number of parts of their next lines that have come.
            params.key("parts")
            params.beginObject()
            for (replica, line) in known {
                params.key(text: replica.text)
                params.integer(line.parts.count)
            }
            params.endObject()
        }
        guard let records = answer["records"]?.array, let last = answer["last"]?.object else {
            throw wrong("transport.pull", "no records or no last")
        }
        var pulled = Pulled()
        for member in last {
            guard let replica = UUID(member.name), let number = member.value.integer else { continue }
            pulled.last[replica] = number
        }
        var next = have
        let partsBefore = partial.values.reduce(0) { $0 + $1.parts.count }
        for record in records {
            guard let text = record["text"]?.string, let number = record["n"]?.integer,
                let replica = record["replica"]?.string.flatMap({ UUID($0) }) ?? Self.replica(of: text)
            else { throw wrong("transport.pull", "a record without replica, n or text") }
            // A repeated record, or one after a gap.
            guard number == next[replica] + 1 else { continue }
            if let parts = record["parts"]?.integer, let part = record["part"]?.integer, parts > 1 {
                guard let line = take(Array(text.utf8), part, of: parts, number, replica) else { continue }
                pulled.lines.append(line)
            } else {
                pulled.lines.append(TransportLine(replica: replica, number: number, text: Array(text.utf8)))
            }
            next[replica] = number
        }
        // An answer without news is the last, whatever it claims: asking again would never end.
        let isNew = !pulled.lines.isEmpty || partial.values.reduce(0) { $0 + $1.parts.count } > partsBefore
        pulled.hasMore = answer["more"]?.boolean ?? false && isNew
        return pulled
    }

    /// Adds a part.
    /// - Returns: the line, after its last part.
    private mutating func take(
        _ text: [UInt8], _ part: Int, of parts: Int, _ number: Int, _ replica: UUID
    ) -> TransportLine? {
        var line = partial[replica] ?? (number, [])
        // The first part may come again, if a sender has started over.
        if part == 0 || line.number != number { line = (number, []) }
        guard line.parts.count == part else { return nil }
        line.parts.append(text)
        partial[replica] = line
        guard line.parts.count == parts else { return nil }
        partial[replica] = nil
        return TransportLine(replica: replica, number: number, text: Array(line.parts.joined()))
    }

    private static func replica(of text: String) -> UUID? {
        Array(text.utf8).withUnsafeBytes { CarriedLine($0)?.replica }
    }

    // MARK: Snapshots

    func snapshots() throws(SyncError) -> [TransportSnapshot] {
        guard let items = try ask("transport.snapshots", { _ in })["items"]?.array else {
            throw wrong("transport.snapshots", "no items")
        }
        return items.compactMap { item in
            guard let id = item["id"]?.string, let members = item["vector"]?.object, let parts = item["parts"]?.integer
            else { return nil }
            var vector = Vector()
            for member in members {
                guard let replica = UUID(member.name), let number = member.value.integer else { return nil }
                vector[replica] = number
            }
            return TransportSnapshot(id: id, vector: vector, parts: parts)
        }
    }

    func text(of snapshot: TransportSnapshot) throws(SyncError) -> [UInt8]? {
        var text: [UInt8] = []
        for part in 0..<max(snapshot.parts, 0) {
            do throws(SyncError) {
                let answer = try answer("transport.getPart") { params in
                    params.key("id")
                    params.string(snapshot.id)
                    params.key("part")
                    params.integer(part)
                }
                // An empty part is invalid: their number could be endless.
                let before = text.count
                guard Self.append(answer, to: &text), text.count > before else { return nil }
            } catch {
                // Another snapshot has replaced it.
                if case .notFound = error { return nil }
                throw error
            }
        }
        return text
    }

    /// Adds the text of an answer without parsing it as a value, because a snapshot has many.
    /// - Returns: false if it has none.
    private static func append(_ answer: [UInt8], to text: inout [UInt8]) -> Bool {
        answer.withUnsafeBytes { answer in
            var reader = JSONReader(ValidJSON(trusting: answer))
            guard reader.enterObject() else { return false }
            while let name = reader.nextKey() {
                if name.equals("text") {
                    guard let piece = reader.text() else { return false }
                    piece.withDecoded { text.append(contentsOf: $0) }
                    return true
                }
                reader.skip()
            }
            return false
        }
    }

    func put(_ text: [UInt8], as snapshot: TransportSnapshot) throws(SyncError) {
        let pieces = Self.pieces(text)
        for (part, piece) in pieces.enumerated() {
            _ = try ask("transport.putPart") { params in
                params.key("id")
                params.string(snapshot.id)
                params.key("part")
                params.integer(part)
                params.key("text")
                piece.withUnsafeBytes { params.string(utf8: $0) }
                if part + 1 == pieces.count {
                    params.key("vector")
                    snapshot.vector.write(to: &params)
                }
            }
        }
    }

    func drop(_ replica: UUID, upTo number: Int, snapshots: [TransportSnapshot]) throws(SyncError) {
        _ = try ask("transport.drop") { params in
            params.key("replica")
            params.string(replica.text)
            params.key("upTo")
            params.integer(number)
            params.key("ids")
            params.beginArray()
            for snapshot in snapshots { params.string(snapshot.id) }
            params.endArray()
        }
    }

    func finish() throws(SyncError) {}
}
