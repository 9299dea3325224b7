import Foundation
import Testing

@testable import Platform

@Suite struct DraftFileTests {
    private let folder: String

    init() throws {
        let url = URL(filePath: NSTemporaryDirectory()).appending(path: "drafts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

    @Test func aDraftThatIsNotPlacedGoes() throws {
        do {
            let draft = try DraftFile(folder + "/new", in: .system)
            #expect(try names() == ["new"])
            extendLifetime(draft)
        }
        #expect(try names() == [])
    }

    /// An older file at the path is no sign that the rename took place.
    @Test func aRemovedDraftIsNotPlaced() throws {
        try Data("old".utf8).write(to: URL(filePath: folder + "/file"))
        var draft = try DraftFile(folder + "/new", in: .system)
        try FileManager.default.removeItem(atPath: folder + "/new")
        var error: SystemError?
        do throws(SystemError) { try draft.place(as: folder + "/file") } catch let failure { error = failure }
        #expect(error?.code == ENOENT)
        #expect(try String(contentsOfFile: folder + "/file", encoding: .utf8) == "old")
    }
}
