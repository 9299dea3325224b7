import JSONCodec
import Platform

/// `mood rpc --record` and `--replay`: recording a session, and repeating it.
extension Client {
    /// The time to wait for a host that answers nothing, and for its end.
    private static let patienceMilliseconds = 10_000
    private static let recordBytesMax = 1 << 30
    private static let usualTime = "2026-01-02T03:04:05.678Z"

    private func hostForRecord(_ arguments: [String]) throws(ClientError) -> HostUnderTest {
        let path = try HostLocation.ofThisProcess().find(hostOptions().program)
        return try orUnavailable("The host '\(path)' cannot be started") { () throws(SystemError) in
            try HostUnderTest(path: path, arguments: arguments, errors: .inherited)
        }
    }

    /// The store of a recorded session: one in memory, unless another is named.
    private func storeArguments() throws(ClientError) -> [String] {
        let options = try hostOptions()
        guard case .directory(let path) = options.store else { return ["--in-memory"] }
        return ["--store", path]
    }

    func record(to path: String) throws(ClientError) {
        let clock = invocation.value("test-clock") ?? Self.usualTime
        let seed = invocation.value("test-seed") ?? "1"
        let arguments = try storeArguments() + ["--test-clock", clock, "--test-seed", seed]
        var recording = RecordedConversation(arguments: arguments)
        let shown = Escaping.visible(path)
        let file = try orBadInput("\(shown) cannot be made", advice: "It must not be there yet.") {
            () throws(SystemError) in
            try File(path, .create, in: .system)
        }
        let host = try hostForRecord(arguments)
        defer { host.kill() }
        let talk = Conversation(host)
        var (size, failure) = (0, ClientError?.none)
        func keep(isAtEnd: Bool) {
            guard failure == nil else { return }
            do throws(SystemError) {
                let piece = recording.take(isAtEnd: isAtEnd)
                try file.write(piece, at: size)
                size += piece.count
            } catch {
                failure = .outputFailed(error)
            }
        }
        talk.heardBytes = { [console] bytes in
            recording.add(bytes, .received)
            do throws(SystemError) { try console.write(bytes) } catch {
                failure = failure ?? (error.code == EPIPE ? .outputClosed : .outputFailed(error))
            }
        }
        var isInputAtEnd = false
        talk.happened = { _ in
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
                let count = (try? StandardStream.read(from: StandardStream.input, into: buffer)) ?? 0
                isInputAtEnd = count == 0
                recording.add(buffer[..<count], .sent)
                talk.send(Array(buffer[..<count]))
            }
        }
        let input = EventSources.Name(16)
        while !isInputAtEnd, failure == nil, !talk.isOutputAtEnd {
            if talk.isSent { talk.listen(to: StandardStream.input, as: input) } else { talk.forget(input) }
            talk.wait(1000) { isInputAtEnd || failure != nil || talk.isOutputAtEnd || !talk.isSent }
            talk.wait(1000) { talk.isSent || talk.isOutputAtEnd }
            keep(isAtEnd: false)
        }
        talk.forget(input)
        recording.end(.sent)
        talk.wait(Self.patienceMilliseconds) { talk.isSent }
        talk.closeInput()
        // Without a time limit: many answers may still come.
        while failure == nil, !talk.isOutputAtEnd { talk.wait(1000) { talk.isOutputAtEnd || failure != nil } }
        let status = talk.waitForEnd(Self.patienceMilliseconds)
        keep(isAtEnd: true)
        if let failure { throw failure }
        guard status == .exited(0) else {
            throw .unavailable("The host failed: \(status.map { "\($0)" } ?? "it does not end").", advice: nil)
        }
    }

    func replay(_ path: String) throws(ClientError) {
        let recording: RecordedConversation
        let bytes = try PluginFiles.contents(of: path, bytesMax: Self.recordBytesMax)
        do throws(RecordedConversation.BadLine) { recording = try RecordedConversation(reading: bytes) } catch {
            throw .badInput(
                "\(Escaping.visible(path)):\(error.number) is no step of a recording.",
                advice: "'mood rpc --record FILE' writes such a file.")
        }
        var arguments = recording.arguments
        for name in ["test-clock", "test-seed", "store"] {
            guard let value = invocation.value(name) else { continue }
            if let place = arguments.firstIndex(of: "--" + name), place + 1 < arguments.count {
                arguments[place + 1] = value
            } else {
                arguments.removeAll { name == "store" && $0 == "--in-memory" }
                arguments += ["--" + name, value]
            }
        }
        try compare(recording, try hostForRecord(arguments), path)
    }

    private func compare(_ recording: RecordedConversation, _ host: HostUnderTest, _ path: String) throws(ClientError) {
        defer { host.kill() }
        let talk = Conversation(host)
        var got: [UInt8] = []
        var seen = 0
        let lastSent = recording.pieces.last { $0.side == .sent }?.line
        talk.heardBytes = { got += $0 }
        func difference(_ piece: RecordedConversation.Piece, _ end: Int) -> ClientError {
            let line = got[min(seen, got.count)..<min(max(end, seen), got.count)]
            let shown = line.isEmpty ? "nothing came" : "came: " + String(decoding: line.prefix(400), as: UTF8.self)
            return .unsound(
                "\(Escaping.visible(path)):\(piece.line): another answer than recorded; \(Escaping.visible(shown))")
        }
        for piece in recording.pieces {
            switch piece.side {
            case .sent:
                talk.send(piece.bytes)
                if piece.bytes.last != 0x0a, piece.line == lastSent {
                    // A line without a line feed becomes a message only at the end of the input.
                    talk.wait(Self.patienceMilliseconds) { talk.isSent }
                    talk.closeInput()
                }
            case .received:
                let end = seen + piece.bytes.count
                talk.wait(Self.patienceMilliseconds) { got.count >= end || talk.isOutputAtEnd }
                guard got.count >= end, got[seen..<end].elementsEqual(piece.bytes) else {
                    let rest = got[min(seen, got.count)...].firstIndex(of: 0x0a)
                    throw difference(piece, rest ?? got.count)
                }
                seen = end
            }
        }
        talk.wait(Self.patienceMilliseconds) { talk.isSent }
        talk.closeInput()
        let status = talk.waitForEnd(Self.patienceMilliseconds)
        guard got.count == seen else {
            throw .unsound(
                "The host says more than was recorded: "
                    + Escaping.visible(String(decoding: got[seen...].prefix(400), as: UTF8.self)))
        }
        guard status == .exited(0) else {
            throw .unavailable("The host failed: \(status.map { "\($0)" } ?? "it does not end").", advice: nil)
        }
        let answers = recording.pieces.filter { $0.side == .received }.count
        try print("\(recording.pieces.count - answers) sent, \(answers) received, \(seen) bytes: the same\n")
    }
}
