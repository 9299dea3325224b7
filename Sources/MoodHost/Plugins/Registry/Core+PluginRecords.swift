import JSONCodec
import JSONRPC
import MoodProtocol
import MoodStore
import Platform
import PluginHost
import Storage

extension PluginRegistry {
    /// The problem of the records, with its remedy; nil if it is one of the whole store.
    fileprivate func problem(_ error: StorageError) -> String? {
        guard case .unavailable(let reason, let advice) = error else { return error.reason }
        let files = [PluginRecords.fileName, PluginSecrets.fileName]
        let isThere = files.contains { (try? FileSystem.system.statusOfPath("\(store ?? "")/\($0)")) != nil }
        return isThere ? "\(reason) \(advice)" : nil
    }
}

/// The text of both files with the records of plugins.
struct PluginText: Equatable, Sendable {
    let open: SideText?
    let secret: SideText?
}

/// The records of trusted plugins: read when the store is opened, watched if the host stays, and replaced under the
/// store's lock.
extension Core {
    /// Reads the records, unless they were read.
    mutating func loadPlugins() {
        guard !plugins.isLoaded else { return }
        reloadPlugins()
        // The store is first used here.
        plugins.revision = store.durableRevision
        prepareSync()
    }

    /// Reads the records as they are now: another host may have changed them, and no watch has told yet.
    mutating func seePlugins() {
        if plugins.isLoaded { reloadPlugins() } else { loadPlugins() }
    }

    /// Reads the records again.
    @inline(never)
    mutating func reloadPlugins() {
        defer { chooseSummaries() }
        if plugins.settings.isOff || path == nil {
            if !plugins.isLoaded { plugins.take(PluginRecords(), PluginSecrets(), &methods) }
            return
        }
        // The watch begins before the read, so that no change between the two is missed.
        if noticesOthers { plugins.watchFile() }
        do throws(StorageError) {
            let text = try store.readPluginText()
            if plugins.isLoaded, plugins.problem == nil, let known = plugins.text, known == text { return }
            let contents = try PluginContents(text)
            plugins.problem = nil
            plugins.take(contents.records, contents.secrets, &methods)
            plugins.text = text
        } catch {
            // Running plugins go on; plugins without a readable record are not trusted. If the store is missing or
            // cannot be opened, the requests that need it report that.
            if let problem = plugins.problem(error) {
                if plugins.problem != problem { log(.warning, problem) }
                plugins.problem = problem
            }
            if !plugins.isLoaded { plugins.take(PluginRecords(), PluginSecrets(), &methods) }
        }
    }

    /// Takes the records that were written.
    mutating func take(_ contents: PluginContents) {
        plugins.take(contents.records, contents.secrets, &methods)
        plugins.text = contents.text
        storeMayBeThere()
    }

    /// Changes the records, and then concludes the request: beside the loop, because the disk takes its time; in memory
    /// at once.
    mutating func changePlugins(
        _ out: inout JSONWriter, _ change: @escaping PluginRecordsChange,
        then conclude: @escaping LongWork.Conclusion
    ) throws -> (any LaterWork)? {
        // A copy for a request that was cancelled.
        if let copying = plugins.copying.take() { plugins.noteOutdated(copying.id) }
        guard path == nil else { return changeBesideLoop(change, then: conclude) }
        var contents = PluginContents(records: plugins.records, secrets: plugins.secrets)
        try change(&contents.records, &contents.secrets)
        take(contents)
        try conclude(&self, &out)
        return nil
    }
}

/// A change of the records of plugins.
typealias PluginRecordsChange = @Sendable (inout PluginRecords, inout PluginSecrets) throws -> Void

/// The records of plugins.
struct PluginContents: Sendable {
    var records = PluginRecords()
    var secrets = PluginSecrets()
    /// Nil in memory.
    var text: PluginText?
}

extension MoodRecords {
    /// The text of the records, as they are now.
    func readPluginText() throws(StorageError) -> PluginText {
        PluginText(
            open: try read(.plugins, bytesMax: PluginRecords.fileBytesMax),
            secret: try read(.pluginSecrets, bytesMax: PluginSecrets.fileBytesMax))
    }

    /// Changes the records in their files. It takes the store's lock, so no other host's change is lost.
    mutating func changePlugins(_ change: PluginRecordsChange) throws -> PluginContents {
        waitHere()
        try openForWriting()
        var contents = try PluginContents(try readPluginText())
        let secretsBefore = contents.secrets.write()
        try change(&contents.records, &contents.secrets)
        let secrets = contents.secrets.write()
        if secrets != secretsBefore { try replace(.pluginSecrets, with: secrets) }
        try replace(.plugins, with: contents.records.write())
        contents.text = try readPluginText()
        return contents
    }
}

extension PluginRecords {
    /// The records of the store as they are now; in memory, these.
    func read(again location: MoodRecords.Location) throws(StorageError) -> PluginRecords {
        guard case .directory(let settings) = location else { return self }
        let open = try StoreFiles.read(.plugins, of: settings, bytesMax: Self.fileBytesMax)
        return try PluginContents(PluginText(open: open, secret: nil)).records
    }

    /// The digest of the copy that a plugin runs from.
    func digest(of id: PluginID) -> PluginDigest? { self[id].flatMap { PluginDigest($0.digest) } }
}

extension PluginContents {
    init(_ text: PluginText) throws(StorageError) {
        records = try Self.read(text.open, .plugins, PluginRecords()) { (bytes) throws(PluginRecords.Damage) in
            try PluginRecords.read(bytes, isSealed: text.open?.isSealed ?? false)
        }
        secrets = try Self.read(text.secret, .pluginSecrets, PluginSecrets()) { (bytes) throws(PluginRecords.Damage) in
            try PluginSecrets.read(bytes, isSealed: text.secret?.isSealed ?? false)
        }
        self.text = text
    }

    private static func read<Value>(
        _ text: SideText?, _ file: SideFile, _ absent: Value,
        _ read: (UnsafeRawBufferPointer) throws(PluginRecords.Damage) -> Value
    ) throws(StorageError) -> Value {
        guard let text else { return absent }
        let result: Result<Value, PluginRecords.Damage> = text.bytes.withUnsafeBytes { bytes in
            do throws(PluginRecords.Damage) { return .success(try read(bytes)) } catch { return .failure(error) }
        }
        do throws(PluginRecords.Damage) { return try result.get() } catch {
            let reason =
                "\(file.rawValue) cannot be used: \(error.reason). Mend it, or move it away and trust the plugins again."
            if error.isNewer { throw .readOnly(reason: reason) }
            throw .corrupt(file: file.rawValue, offset: 0, reason: reason)
        }
    }
}
