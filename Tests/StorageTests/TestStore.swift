import JSONCodec
import Platform
import Synchronization
import Testing

@testable import Storage

/// A directory for one test, in memory if the system has such a place; removed with this value.
final class TestDirectory: Sendable {
    private static let counter = Atomic(0)
    let path: String

    init() {
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = "\(base)/store-\(getpid())-\(number)"
    }

    deinit { Self.remove(path) }

    static func remove(_ path: String) {
        for name in (try? FileSystem.system.list(path)) ?? [] {
            if unlink(path + "/" + name) != 0 { remove(path + "/" + name) }
        }
        rmdir(path)
    }

    func path(_ name: String) -> String { path + "/" + name }

    var names: [String] { ((try? FileSystem.system.list(path)) ?? []).sorted() }

    func read(_ name: String) -> [UInt8] {
        guard let file = try? File(path(name), .read, in: .system), let size = try? file.status().size else {
            return []
        }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = bytes.withUnsafeMutableBytes { (try? file.read($0, at: 0)) ?? 0 }
        return Array(bytes[..<count])
    }

    func text(_ name: String) -> String { String(decoding: read(name), as: UTF8.self) }

    func write(_ name: String, _ bytes: [UInt8]) {
        unlink(path(name))
        guard let file = try? File(path(name), .create, in: .system) else { return }
        bytes.withUnsafeBytes { try? file.write($0, at: 0) }
    }

    func write(_ name: String, _ text: String) { write(name, Array(text.utf8)) }

    func remove(_ name: String) { unlink(path(name)) }

    /// Everything in it except `history`.
    func contents() -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: names.filter { $0 != "history" }.map { ($0, read($0)) })
    }

    /// Replaces the content of the directory.
    func restore(_ contents: [String: [UInt8]]) {
        Self.remove(path)
        mkdir(path, 0o700)
        for (name, bytes) in contents { write(name, bytes) }
    }
}

/// The records of a store by id, as a caller would keep them.
struct Table: Equatable {
    var records: [String: String] = [:]

    mutating func apply(_ event: LoadEvent) -> String? {
        switch event {
        case .record(let bytes), .put(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.utf8.count > 43, text.hasPrefix("{\"id\":\""), text.hasSuffix("}") else { return "no id" }
            records[String(decoding: bytes[7..<43], as: UTF8.self)] = text
        case .delete(let id):
            records[String(decoding: id, as: UTF8.self)] = nil
        case .clear:
            records = [:]
        }
        return nil
    }
}

enum Change {
    case put(Int, String)
    case delete(Int)
    case clear
}

func identifier(_ number: Int) -> String {
    let digits = String(number)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
}

func record(_ number: Int, _ label: String) -> String { "{\"id\":\"\(identifier(number))\",\"label\":\"\(label)\"}" }

let time = "2026-11-21T09:26:58.123Z"

func settings(
    _ directory: TestDirectory, _ fileSystem: FileSystem = .system, isReadOnly: Bool = false,
    durability: StoreSettings.Durability = .sync, timeout: Int = 2000, trust: Bool = false,
    log: @escaping @Sendable (String) -> Void = { _ in }
) -> StoreSettings {
    StoreSettings(
        directory: directory.path, durability: durability, isReadOnly: isReadOnly, trustsDirectory: trust,
        lockTimeoutMilliseconds: timeout, schemaVersion: 3, fileSystem: fileSystem, log: log,
        makeIdentifier: { identifierSource.withLock { $0.next() } }, timestamp: { time })
}

private let identifierSource = Mutex(IdentifierSource())

private struct IdentifierSource {
    private var last = 900_000_000

    mutating func next() -> String {
        last += 1
        return identifier(last)
    }
}

/// An open store with its caller's table. An error of `sync` takes the table back, as in a caller.
struct TestStore: ~Copyable {
    let files: StoreFiles
    var lines: CommitLines
    private(set) var table: Table
    private var pending: Table

    init(_ settings: StoreSettings) throws(StorageError) {
        var table = Table()
        files = try StoreFiles.open(settings) { table.apply($0) }
        lines = CommitLines(after: files.revision)
        self.table = table
        pending = table
    }

    /// Stages one commit.
    mutating func stage(_ changes: [Change]) {
        begin()
        for change in changes {
            switch change {
            case .put(let number, let label):
                withBytes(record(number, label)) {
                    lines.put($0)
                    _ = pending.apply(.put($0))
                }
            case .delete(let number):
                withBytes(identifier(number)) {
                    lines.delete(id: $0)
                    _ = pending.apply(.delete(id: $0))
                }
            case .clear:
                lines.clear()
                _ = pending.apply(.clear)
            }
        }
        lines.end()
    }

    /// Begins the line of a commit.
    mutating func begin() {
        if waitingBytes == 0 { lines.follow(files.revision) }
        withBytes(time) { lines.begin(seq: lines.seq + 1, at: $0, durable: files.syncedRevision) }
    }

    var waitingBytes: Int { files.waitingBytes(lines) }

    mutating func sync() throws(StorageError) {
        do throws(StorageError) {
            let revision = files.revision
            guard try files.sync(&lines) else {
                try files.takeBackSync(&lines, to: revision)
                throw StorageError.unavailable(reason: "the journal was replaced", advice: "")
            }
            table = pending
        } catch {
            pending = table
            throw error
        }
    }

    mutating func commit(_ changes: Change...) throws(StorageError) {
        stage(changes)
        try sync()
    }

    @discardableResult
    mutating func rewrite() throws(StorageError) -> RewriteReport { try rewrite(table, files.revision) }

    /// Makes one commit that becomes a new snapshot.
    mutating func commitAsSnapshot(_ changed: Table) throws(StorageError) {
        _ = try rewrite(changed, files.revision + 1)
        table = changed
        pending = changed
    }

    private mutating func rewrite(_ table: Table, _ revision: Int) throws(StorageError) -> RewriteReport {
        let records = table.records.sorted { $0.key < $1.key }.map(\.value)
        var result: Result<RewriteReport, StorageError> = .failure(.busy(reason: ""))
        withBytes(time) { time in
            do throws(StorageError) {
                result = .success(
                    try files.rewrite(revision: revision, count: records.count, at: time) { sink in
                        for record in records { withBytes(record) { sink($0) } }
                    })
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }
}

func withBytes(_ text: String, _ body: (UnsafeRawBufferPointer) -> Void) {
    var text = text
    text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
}

/// The state that a new opening finds, or its error.
func reopened(_ settings: StoreSettings) -> Result<(table: Table, refusal: StorageError?, revision: Int), StorageError>
{
    do throws(StorageError) {
        let store = try TestStore(settings)
        return .success((store.table, store.files.refusal, store.files.revision))
    } catch {
        return .failure(error)
    }
}
