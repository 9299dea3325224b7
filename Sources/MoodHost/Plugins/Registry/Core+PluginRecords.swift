import JSONCodec
import JSONRPC
import MoodProtocol
import MoodStore
import PluginHost
import Storage

/// The records of trusted plugins: read when the store is opened, watched if the host stays, and replaced under the
/// store's lock.
extension Core {
    /// Reads the records, unless they were read.
    mutating func loadPlugins() {
        guard !plugins.isLoaded else { return }
        reloadPlugins()
        // The store is first used here.
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
            let records = try readPluginRecords()
            plugins.problem = nil
            plugins.take(records.open, records.secret, &methods)
        } catch {
            // Running plugins go on; plugins without a readable record are not trusted. If the store is missing or
            // cannot be opened, the requests that need it report that.
            if case .unavailable = error {
            } else {
                if plugins.problem != error.reason { log(.warning, error.reason) }
                plugins.problem = error.reason
            }
            if !plugins.isLoaded { plugins.take(PluginRecords(), PluginSecrets(), &methods) }
        }
    }

    private func readPluginRecords() throws(StorageError) -> (open: PluginRecords, secret: PluginSecrets) {
        let open = try store.read(.plugins, bytesMax: PluginRecords.fileBytesMax)
        let secret = try store.read(.pluginSecrets, bytesMax: PluginSecrets.fileBytesMax)
        return (
            try Self.read(open, .plugins, PluginRecords()) { (bytes) throws(PluginRecords.Damage) in
                try PluginRecords.read(bytes, isSealed: open?.isSealed ?? false)
            },
            try Self.read(secret, .pluginSecrets, PluginSecrets()) { (bytes) throws(PluginRecords.Damage) in
                try PluginSecrets.read(bytes, isSealed: secret?.isSealed ?? false)
            }
        )
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

    /// Changes the records in the file and in memory. It holds the store's lock meanwhile, so no other host's change is
    /// lost.
    mutating func changePlugins(
        _ body: (inout PluginRecords, inout PluginSecrets) throws(RPCError) -> Void
    ) throws(RPCError) {
        // A copy for a request that was cancelled.
        if let copying = plugins.copying.take() { plugins.noteOutdated(copying.id) }
        guard path != nil else {
            var (records, secrets) = (plugins.records, plugins.secrets)
            try body(&records, &secrets)
            plugins.take(records, secrets, &methods)
            return chooseSummaries()
        }
        store.waitHere()
        try makeStore()
        var (records, secrets) = (PluginRecords(), PluginSecrets())
        do throws(StorageError) { (records, secrets) = try readPluginRecords() } catch {
            throw RPCError(error, forWriting: true)
        }
        let secretsBefore = secrets.write()
        try body(&records, &secrets)
        do throws(StorageError) {
            if secrets.write() != secretsBefore { try store.replace(.pluginSecrets, with: secrets.write()) }
            try store.replace(.plugins, with: records.write())
        } catch {
            throw RPCError(error, forWriting: true)
        }
        plugins.take(records, secrets, &methods)
        chooseSummaries()
        endsGroup = true
    }
}
