import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Storage

/// `settings.*`: the user's choices. Any process may change the file, so each group reads it once.
extension Core {
    static let settingsHandlers: InlineArray<_, Handler> = [
        Handler(
            SettingsMethods.get,
            { (core, _, _, out) throws(RPCError) in
                try core.settings().write(to: &out)
            }
        ),
        Handler(
            SettingsMethods.set, { (core, _, arguments, out) throws(RPCError) in try core.set(arguments, &out) }),
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
        if !kept.isFresh, path != nil { readSettings() }
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
            if case .unavailable = error {
                // Without a store, or with one that cannot be read, the defaults hold.
                kept = KeptSettings(isFresh: true)
                return
            }
            if kept.failure?.reason != error.reason { log(.warning, error.reason) }
            kept.failure = error
            kept.settings = Settings()
        }
    }

    private mutating func set(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let given: [(Settings.Member, ValidJSON)] = [
            (.palette, arguments[SettingsParams.palette]), (.dayStartsAt, arguments[SettingsParams.dayStartsAt]),
            (.timeZone, arguments[SettingsParams.timeZone]), (.locale, arguments[SettingsParams.locale]),
            (.weekStartsOn, arguments[SettingsParams.weekStartsOn]),
        ].compactMap { member, value in value.map { (member, $0) } }
        // Bad params make no store.
        var settings = try settings()
        try Self.change(&settings, given)
        if given.isEmpty { return settings.write(to: &out) }
        if path != nil { store.waitHere() }
        try makeStore()
        // The file is read under the store's lock, so that no other process's change is lost.
        kept.isFresh = false
        settings = try self.settings()
        try Self.change(&settings, given)
        try keep(settings)
        settings.write(to: &out)
        endsGroup = true
    }

    private static func change(
        _ settings: inout Settings, _ given: [(Settings.Member, ValidJSON)]
    ) throws(RPCError) {
        do throws(Settings.Problem) {
            for (member, value) in given { try settings.set(member, to: JSONValue(value)) }
        } catch {
            throw Arguments.error(error.reason, at: error.path)
        }
    }

    mutating func keep(_ settings: Settings) throws(RPCError) {
        var text = JSONWriter(capacity: 4096)
        settings.writeFile(to: &text)
        let bytes = Array(text.buffer.bytes)
        if kept.bytes == bytes { return }
        if path != nil {
            do throws(StorageError) { try store.replace(.settings, with: bytes) } catch {
                throw RPCError(error, forWriting: true)
            }
        }
        kept = KeptSettings(bytes: bytes, settings: settings, isFresh: path != nil)
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

    /// Keeps the settings that an imported file holds, once its moods are durable. A setting that is chosen here stays, unless the
    /// import replaces.
    /// - Throws: the reason why only the moods are kept.
    mutating func keepGivenSettings() throws(RPCError) {
        guard let given = store.givenSettings.take() else { return }
        if let failure = store.failure { throw RPCError(failure, forWriting: true) }
        do throws(StorageError) { try store.flushEarly() } catch { throw RPCError(error, forWriting: true) }
        notices.keep()
        // It cannot be taken back from here on.
        endsGroup = true
        do throws(RPCError) {
            try makeStore()
            kept.isFresh = false
            var settings = try settings()
            try Self.adopt(given, into: &settings)
            if settings.isAnythingChosen { try keep(settings) }
        } catch {
            throw RPCError(
                error.code, "The moods of the file are imported, but its settings are not: \(error.message)",
                error.details)
        }
    }

    private static func adopt(_ given: GivenSettings, into settings: inout Settings) throws(RPCError) {
        do throws(Settings.Problem) {
            for text in given.texts { try settings.adopt(value(text), replaces: given.replaces) }
        } catch {
            throw Arguments.error(error.reason, at: error.path)
        }
    }

    static func value(_ given: [UInt8]) -> JSONValue {
        given.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
    }

    // MARK: Notifications

    /// Begins to follow the settings for a client. The present ones are not reported.
    mutating func beginFollowingSettings() {
        if state.events.wants(.store) { return tellOfSettings() }
        kept.isFresh = false
        lookForSettings()
        let bytes = kept.bytes
        changeState { $0.events.settings = bytes }
    }

    /// Checks for a change by another process.
    mutating func lookAtSettings() {
        guard path != nil, state.events.wants(.store) else { return }
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
