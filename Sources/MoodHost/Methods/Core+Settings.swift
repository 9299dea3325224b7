import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Platform
import Storage

/// `settings.*`: the user's choices. Any process may change the file, so each group reads it once.
extension Core {
    static let settingsHandlers: InlineArray<_, Handler> = [
        Handler(SettingsMethods.get, { try $0.settings().write(to: &$3) }),
        Handler(SettingsMethods.set, { try $0.set($2, $1, &$3) }),
    ]

    /// - Throws: `storeCorrupt` if the file cannot be used.
    mutating func settings() throws(RPCError) -> Settings {
        lookForSettings()
        if let failure = kept.failure { throw RPCError(failure, forWriting: false) }
        return kept.settings
    }

    /// The settings for answers that are better with defaults than not given at all. An unusable file is reported on
    /// stderr.
    mutating func usableSettings() -> Settings {
        lookForSettings()
        return kept.settings
    }

    /// Reads the file again, once in each group.
    @inline(__always)
    private mutating func lookForSettings() {
        if !kept.isFresh { readSettings() }
    }

    @inline(never)
    private mutating func readSettings() {
        kept.isFresh = true
        do throws(StorageError) {
            let bytes = try store.settingsBytes()
            if bytes == kept.bytes, kept.failure == nil { return }
            kept.settings =
                try bytes.map { (bytes) throws(StorageError) in try MoodRecords.settings(bytes) } ?? Settings()
            kept.bytes = bytes
            kept.failure = nil
        } catch {
            if case .unavailable = error, isStoreNowhere { return kept = KeptSettings(isFresh: true) }
            if kept.failure?.reason != error.reason { log(.warning, error.reason) }
            kept.failure = error
            kept.settings = Settings()
        }
    }

    /// Whether the store's folder is not there. One that cannot be read is.
    private var isStoreNowhere: Bool {
        do throws(SystemError) { _ = try FileSystem.system.statusOfPath(path ?? "") } catch {
            return error.code == ENOENT
        }
        return false
    }

    private mutating func set(
        _ arguments: borrowing Arguments, _ request: borrowing Request, _ out: inout JSONWriter
    ) throws {
        let given: [(Settings.Member, ValidJSON)] = [
            (.palette, arguments[SettingsParams.palette]), (.dayStartsAt, arguments[SettingsParams.dayStartsAt]),
            (.timeZone, arguments[SettingsParams.timeZone]), (.locale, arguments[SettingsParams.locale]),
            (.weekStartsOn, arguments[SettingsParams.weekStartsOn]),
        ].compactMap { member, value in value.map { (member, $0) } }
        // Bad params make no store, nor do those that change nothing.
        var settings = try settings()
        try Self.change(&settings, given)
        if kept.bytes.map({ $0 == settings.fileBytes }) ?? !settings.isAnythingChosen {
            return settings.write(to: &out)
        }
        try admit(.makes, request)
        // The file is read under the store's lock, so that no other process's change is lost.
        kept.isFresh = false
        settings = try self.settings()
        try Self.change(&settings, given)
        try keep(settings)
        settings.write(to: &out)
    }

    private static func change(
        _ settings: inout Settings, _ given: [(Settings.Member, ValidJSON)]
    ) throws {
        for (member, value) in given { try settings.set(member, to: JSONValue(value)) }
    }

    mutating func keep(_ settings: Settings) throws {
        let bytes = settings.fileBytes
        if kept.bytes == bytes { return }
        try store.replace(.settings, with: bytes)
        kept = KeptSettings(bytes: bytes, settings: settings, isFresh: true)
        tellOfSettings()
    }

    // MARK: Settings in files of moods

    /// The problem of settings that came in a file; nil if they are right.
    static func problem(ofSettings given: [UInt8]) -> String? {
        var settings = Settings()
        do throws(Settings.Problem) { try settings.adopt(value(given), replaces: true) } catch {
            return "settings\(error.path) \(error.reason)."
        }
        return nil
    }

    /// Ends the commit of an imported file that holds settings. A setting that is chosen here stays, unless the import
    /// replaces.
    @inline(never)
    mutating func endCommitWithSettings() throws {
        guard let given = store.givenSettings.take() else { return try store.endCommit() }
        if let failure = store.failure { throw failure }
        try store.endCommit(with: given)
        notices.keep()
        seeSettings()
    }

    static func value(_ given: [UInt8]) -> JSONValue {
        given.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
    }

    // MARK: Notifications

    /// Begins to follow the settings for a client. The present ones are not reported.
    mutating func beginFollowingSettings() {
        if state.followsSettings { return tellOfSettings() }
        kept.isFresh = false
        lookForSettings()
        let bytes = kept.bytes
        changeState { $0.events.settings = bytes }
    }

    /// Checks for a change by another process.
    mutating func lookAtSettings() {
        guard path != nil, state.followsSettings else { return }
        seeSettings()
    }

    /// Reads the settings again and reports a change.
    mutating func seeSettings() {
        kept.isFresh = false
        lookForSettings()
        tellOfSettings()
    }

    private mutating func tellOfSettings() {
        let bytes = kept.bytes
        guard kept.failure == nil, state.events.settings != bytes else { return }
        changeState { $0.events.settings = bytes }
        tellOfChosenSettings()
        if state.models.followsStore { tellModels(of: .ofSettings) }
    }

    // MARK: Defaults

    // Every read of moods calls these, so they copy nothing but the member.

    /// The locale of the param, the command line, or the setting; else English.
    mutating func locale(_ given: String?) -> String {
        if let said = given ?? options.locale { return said }
        lookForSettings()
        return kept.settings.locale ?? HostOptions.usualLocale
    }

    /// The zone of the param, the mood, the command line, or the setting; nil: the system's.
    mutating func timeZone(_ given: String?, ofMood: String? = nil) -> String? {
        if let said = given ?? ofMood ?? options.timeZone { return said }
        lookForSettings()
        return kept.settings.timeZone
    }
}

extension Settings {
    fileprivate var fileBytes: [UInt8] {
        var text = JSONWriter(capacity: 4096)
        writeFile(to: &text)
        return Array(text.buffer.bytes)
    }

    fileprivate mutating func adopt(_ given: GivenSettings) throws(Settings.Problem) {
        for text in given.texts { try adopt(Core.value(text), replaces: given.replaces) }
    }
}

extension MoodRecords {
    /// Writes the settings of an imported file, then makes its moods durable. Settings that cannot be written refuse the
    /// moods, so an answer that a repeated `opId` gets again is true of both; moods that are lost take the settings back.
    mutating func endCommit(with given: GivenSettings) throws {
        try openForWriting()
        let before = try settingsBytes()
        var settings =
            try before.map { (bytes) throws(StorageError) in try MoodRecords.settings(bytes) } ?? Settings()
        try settings.adopt(given)
        let after = settings.fileBytes
        let isNew = settings.isAnythingChosen && after != before
        if isNew { try replace(.settings, with: after) }
        do {
            try endCommit()
            try flushEarly()
        } catch {
            // If even this fails, the error of the moods is told all the same.
            if isNew { try? replace(.settings, with: before ?? Settings().fileBytes) }
            throw error
        }
    }
}
