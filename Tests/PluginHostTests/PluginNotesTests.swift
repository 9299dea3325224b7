import Foundation
import Platform
import Testing

@testable import PluginHost

/// The log of a plugin, which every host of a store reads from its file.
@Suite struct PluginNotesTests {
    private static func withFile(_ body: (String) throws -> Void) rethrows {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notes-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("log").path)
    }

    private static func print(_ text: String, to notes: PluginNotes) {
        Array((text + "\n").utf8).withUnsafeBytes { notes.append(errors: $0, at: "2026-01-02T03:04:05.678Z") }
    }

    @Test func twoHostsHaveOneLog() {
        Self.withFile { path in
            let (one, other) = (PluginNotes(path, isReadOnly: false), PluginNotes(path, isReadOnly: false))
            Self.print("first", to: one)
            one.flush()
            Self.print("second", to: other)
            other.add(.host, nil, "third", at: "2026-01-02T03:04:06.000Z")
            other.flush()
            let reader = PluginNotes(path, isReadOnly: true)
            #expect(one.last(10).map(\.text) == ["first", "second", "third"])
            #expect(reader.last(2).map(\.from.rawValue) == ["stderr", "host"])
        }
    }

    /// The last 64 KiB of a plugin's output stay, no more and hardly less, and its flood does not hide the host's
    /// lines.
    @Test func theLast64KiBStayThroughAFlood() {
        Self.withFile { path in
            let notes = PluginNotes(path, isReadOnly: false)
            notes.add(.host, nil, "It ended by itself.", at: "2026-01-02T03:04:05.678Z")
            for number in 0..<40_000 {
                Self.print("line \(number) of a flood that does not end", to: notes)
                if number % 500 == 0 { notes.flush() }
            }
            let lines = PluginNotes(path, isReadOnly: true).last(.max) + notes.last(.max)
            #expect(lines.contains { $0.text == "It ended by itself." })
            let printed = notes.last(.max).dropFirst()
            let bytes = printed.reduce(0) { $0 + $1.text.utf8.count + 1 }
            #expect((64 * 1024 - 100...64 * 1024).contains(bytes))
            #expect(printed.last?.text == "line 39999 of a flood that does not end")
            let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? .max
            #expect(size <= 1 << 20)
        }
    }

    /// The parse of half a megabyte would hold up clients, ten times a second beside a flood.
    @Test func aFileIsCutUnparsed() throws {
        try Self.withFile { path in
            let host = #"{"at":"2026-01-02T03:04:05.678Z","from":"host","text":"It ended."}"# + "\n"
            let printed = host.replacing("host", with: "stderr").replacing("It ended.", with: "a")
            let rubbish = String(repeating: "This is no line of a log, and is kept.\n", count: 30_000)
            try Data((host + rubbish).utf8).write(to: URL(fileURLWithPath: path))
            let notes = PluginNotes(path, isReadOnly: false)
            Self.print("a", to: notes)
            notes.flush()
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect((600 << 10...700 << 10).contains(text.utf8.count))
            #expect(text.hasPrefix(host + "This is no line"))
            #expect(text.hasSuffix("and is kept.\n" + printed))
            #expect(notes.last(.max).map(\.text) == ["It ended.", "a"])
        }
    }

    /// The loop never waits for the file: its lines wait for the thread that writes them.
    @Test func aThreadWritesTheFile() {
        Self.withFile { path in
            let helper = HelperThread()
            let notes = PluginNotes(path, isReadOnly: false, helper)
            let gate = DispatchSemaphore(value: 0)
            #expect(helper.run { gate.wait() })
            for text in ["first", "second"] {
                Self.print(text, to: notes)
                notes.flush()
                #expect(!FileManager.default.fileExists(atPath: path))
            }
            gate.signal()
            #expect(helper.wait(milliseconds: 10_000))
            #expect((try? String(contentsOfFile: path, encoding: .utf8))?.contains("first") == true)
            #expect(notes.deadline != nil)
            #expect(notes.last(10).map(\.text) == ["first", "second"])
        }
    }

    @Test func whatIsNoLineOfALogIsPassedOver() throws {
        try Self.withFile { path in
            try Data("{\"at\":\"x\",\"from\":\"stderr\",\"text\":\"a\"}\nrubbish\n{}\n".utf8).write(
                to: URL(fileURLWithPath: path))
            #expect(PluginNotes(path, isReadOnly: true).last(10).map(\.text) == ["a"])
        }
    }
}
