import Testing

@testable import Platform

/// A pipe as stdout whose reader is busy: a write takes the bytes for which there is room, and never waits.
@Suite struct PeerStreamsTests {
    /// Streams as a class, for the macros of the tests.
    private final class Peer {
        private let streams: PeerStreams
        let reader: Int32

        init(reopens: Bool) throws {
            let (readEnd, writeEnd) = try Pipe.make()
            reader = readEnd
            streams = PeerStreams(input: -1, output: writeEnd, reopens: reopens)
        }

        deinit { if reader >= 0 { close(reader) } }

        func write(_ bytes: [UInt8]) throws(SystemError) -> Int {
            var result: Result<Int, SystemError> = .success(0)
            bytes.withUnsafeBytes { bytes in
                do throws(SystemError) { result = .success(try streams.write(bytes)) } catch {
                    result = .failure(error)
                }
            }
            return try result.get()
        }

        func makeRoom() { streams.makeRoom() }

        func readAll(_ count: Int) -> [UInt8] {
            var all = [UInt8](repeating: 0, count: count)
            var at = 0
            while at < count {
                let step = all.withUnsafeMutableBytes { read(reader, $0.baseAddress.map { $0 + at }, count - at) }
                if step <= 0 { break }
                at += step
            }
            return Array(all[..<at])
        }
    }

    /// Without `/proc`, and on macOS, the pipe cannot be opened again.
    @Test(arguments: [true, false]) func fillsThePipeAndStops(reopens: Bool) throws {
        let peer = try Peer(reopens: reopens)
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        var sent = 0
        while true {
            let count = try peer.write(Array(bytes[sent...]))
            if count == 0 { break }
            sent += count
        }
        #expect(sent > 0 && sent < bytes.count)
        let room = 5000
        #expect(peer.readAll(room) == Array(bytes[..<room]))
        sent += try peer.write(Array(bytes[sent...]))
        #expect(peer.readAll(sent - room) == Array(bytes[room..<sent]), "nothing is lost or doubled")
    }

    #if os(Linux)
        @Test func aFullPipeGetsRoomForTheRestOfAMessage() throws {
            let peer = try Peer(reopens: true)
            let bytes = [UInt8](repeating: 7, count: 1 << 16)
            while try peer.write(bytes) > 0 {}
            peer.makeRoom()
            #expect(try peer.write(bytes) == bytes.count)
        }
    #endif
}
