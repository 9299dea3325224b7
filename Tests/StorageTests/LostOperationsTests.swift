import JSONCodec
import Platform
import Testing

@testable import Storage

/// The snapshot has the number of outcomes in `operations-G.jsonl`: without the file no operation counts as new.
@Suite struct LostOperationsTests {
    let directory = TestDirectory()

    private func open() throws -> TestRecords { try TestRecords(settings(directory, timeout: 200)) }

    /// Makes a store with three operations in the file of generation 2, and a fourth in the journal.
    private func make() throws -> TestRecords {
        let store = try open()
        for number in 1...3 { try ChangedFilesTests.commit(store, number) }
        _ = try store.with { try $0.compact() }
        try ChangedFilesTests.commit(store, 4)
        store.close()
        return store
    }

    private func isLost(_ store: TestRecords, _ number: Int = 1) throws -> Bool {
        do {
            let outcome = try OperationTests.find(store, OperationTests.key(number))
            #expect(outcome == .answer(OperationTests.answer(number)))
            return false
        } catch StorageError.corrupt(let file, let offset, let reason) {
            #expect(file.hasPrefix("operations-") && offset == 0 && reason.contains("opId"))
            return true
        }
    }

    /// Makes a change without an operation.
    private func change(_ store: TestRecords, _ number: Int) throws {
        try store.with { try $0.lock() }
        defer { store.with { $0.unlock() } }
        try store.put(OperationTests.record(number))
        try store.endCommit()
        try store.flush()
    }

    private var firstLine: String { String(directory.text("moods.json").prefix { $0 != "\n" }) }

    @Test func theFirstLineNamesThem() throws {
        let store = try open()
        #expect(!firstLine.contains("operations"))
        for number in 1...3 { try ChangedFilesTests.commit(store, number) }
        _ = try store.with { try $0.compact() }
        #expect(firstLine.contains(#""count":3,"operations":{"generation":2,"count":3},"moods":["#))
        try ChangedFilesTests.commit(store, 4)
        _ = try store.with { try $0.compact() }
        #expect(firstLine.contains(#""count":4,"operations":{"generation":3,"count":4},"moods":["#))
    }

    @Test func anOperationIsNotTakenForANewOne() throws {
        let store = try make()
        let content = directory.read("operations-2.jsonl")
        directory.remove("operations-2.jsonl")
        try store.open()
        for number in [1, 4, 9] { #expect(try isLost(store, number)) }
        try change(store, 5)
        #expect(try ChangedFilesTests.numbers(store) == Set(1...5))
        let problems = try StoreFiles.verify(settings(directory), TestRecord.examination).problems
        #expect(problems.map(\.file) == ["operations-2.jsonl"] && problems.map(\.kind) == [.missing])
        // The file counts as soon as it is back; it is not set aside.
        directory.write("operations-2.jsonl", content)
        for number in [1, 3, 4] { #expect(try !isLost(store, number)) }
        #expect(try OperationTests.find(store, OperationTests.key(9)) == .unknown)
        try change(store, 6)
        #expect(directory.read("operations-2.jsonl") == content)
        #expect(try StoreFiles.verify(settings(directory), TestRecord.examination).isWhole)
    }

    /// New generations work without it, and it counts as soon as it is back.
    @Test func newGenerationsKeepThatTheyAreMissing() throws {
        let store = try make()
        let content = directory.read("operations-2.jsonl")
        directory.remove("operations-2.jsonl")
        for generation in 3...4 {
            try store.open()
            _ = try store.with { try $0.compact() }
            #expect(firstLine.contains(#""operations":{"generation":\#(generation),"count":4}"#))
            #expect(try isLost(store))
            store.close()
        }
        directory.write("operations-2.jsonl", content)
        try store.open()
        for number in 1...4 { #expect(try !isLost(store, number)) }
        #expect(try StoreFiles.verify(settings(directory), TestRecord.examination).isWhole)
        _ = try store.with { try $0.compact() }
        for number in 1...4 { #expect(try !isLost(store, number)) }
        #expect(directory.text("operations-5.jsonl").contains(#""count":4,"#))
    }

    @Test func theyAreForgottenOnRequestOnly() throws {
        let store = try make()
        directory.remove("operations-2.jsonl")
        #expect(try StoreFiles.forgetLostOperations(settings(directory), .test) == 3)
        try store.open()
        #expect(try OperationTests.find(store, OperationTests.key(1)) == .unknown)
        #expect(try !isLost(store, 4))
        #expect(try StoreFiles.verify(settings(directory), TestRecord.examination).isWhole)
        #expect(try StoreFiles.forgetLostOperations(settings(directory), .test) == 0)
    }

    /// A file of an earlier time, with fewer operations, does not count.
    @Test func anEarlierFileDoesNotStandInForIt() throws {
        let store = try make()
        try store.open()
        _ = try store.with { try $0.compact() }
        store.close()
        #expect(directory.names.contains("operations-2.jsonl"))
        directory.remove("operations-3.jsonl")
        try store.open()
        #expect(try isLost(store))
    }

    @Test func withoutTheMarkItIsAsBefore() throws {
        let store = try make()
        directory.remove("operations-2.jsonl")
        for mark in [
            "", #","operations":{"generation":1,"count":3}"#, #","operations":{"generation":2,"count":3,"x":1}"#,
        ] {
            reseal(with: mark)
            try store.open()
            #expect(try OperationTests.find(store, OperationTests.key(1)) == .unknown)
            _ = try store.with { try $0.leave() }
            store.close()
        }
    }

    /// Gives the snapshot another mark, as an earlier version leaves it.
    private func reseal(with mark: String) {
        var text = directory.text("moods.json")
        text.replace(#/,"operations":\{[^}]*\}/#, with: "")
        text.replace(",\"moods\":[", with: mark + ",\"moods\":[", maxReplacements: 1)
        let body = text[..<(text.range(of: "\n],\"crc\"")?.lowerBound ?? text.endIndex)] + "\n"
        let digits = withUnsafeBytes(of: CRC32C.hexDigits(of: Array(body.utf8).withUnsafeBytes { CRC32C.checksum($0) }))
        {
            String(decoding: $0, as: UTF8.self)
        }
        directory.write("moods.json", body + "],\"crc\":\"\(digits)\"}\n")
    }

    @Test(arguments: [
        (#","a":1"#, #","operations":{"generation":7,"count":2},"a":1"#),
        (#","operations":{"generation":6,"count":9},"a":1"#, #","operations":{"generation":7,"count":2},"a":1"#),
        (
            #","a":"\",\"operations\":","b":[{"operations":{}}]"#,
            #","operations":{"generation":7,"count":2},"a":"\",\"operations\":","b":[{"operations":{}}]"#
        ),
        // A member of that name with another meaning.
        (#","operations":[1]"#, #","operations":[1]"#),
    ])
    func theMarkTakesThePlaceOfTheOneBefore(members: String, marked: String) {
        let mark = OperationsMark(generation: 7, count: 2)
        #expect(String(decoding: mark.placed(in: Array(members.utf8)), as: UTF8.self) == marked)
        let isForeign = members == marked
        #expect(OperationsMark(in: Array(marked.utf8)) == (isForeign ? nil : mark))
    }
}
