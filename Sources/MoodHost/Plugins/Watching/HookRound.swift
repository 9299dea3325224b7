import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import PluginHost

/// The answers of plugin hooks to one request. The host asks the hooks one after the other in the order of their ids.
///
/// The host has tried the request, knows its changes, and has reverted them. While the hooks are asked, the request is
/// parked. Then it runs again from its beginning, under the lock. If the moods are unchanged, it applies the changes of
/// the hooks or is refused; otherwise the hooks are asked again.
///
/// A class, because both the waiting request and the loop that reads from plugins hold it.
final class HookRound {
    /// One change of the request.
    struct Change {
        let kind: String
        let id: MoodID
        let before: [UInt8]?
        var after: [UInt8]?
    }

    enum Verdict {
        case approved
        case vetoed(Objection)

        /// Whether asking again is no use: a plugin that has to consent does not run.
        var isFinal: Bool {
            guard case .vetoed(let objection) = self else { return false }
            return objection.isFinal
        }
    }

    /// The veto of a hook, or the failure of one that fails closed.
    struct Objection {
        /// `x.<id>`.
        let by: String
        let reason: String
        /// A sentence for users.
        let message: String
        var isFinal = false
    }

    /// A hook to ask.
    struct Hook {
        let plugin: HostedPlugin
        /// `x.<id>`.
        let name: String
        let timeoutMilliseconds: Int
        /// Whether a missing answer is a veto.
        let isClosed: Bool
        /// Whether it may only veto.
        var vetoOnly = false
    }

    static let attemptsMax = 3

    var changes: [Change]
    /// The number of changes, if there are too many to name.
    let count: Int?
    let origin: String?
    let isDryRun: Bool
    /// For `hook.navigate`: its params.
    let navigation: [UInt8]?
    /// The navigations that an earlier round of the same request has approved.
    let approvedNavigations: [[UInt8]]
    /// The time of the request, which stays constant.
    let time: Int64
    let attempt: Int

    private var rest: [Hook]
    private var current: (hook: Hook, call: PluginCall)?
    private(set) var verdict: Verdict?
    /// The changes of the hooks, by mood: objects like those of `mood.update`, later ones over earlier ones.
    private(set) var amendments: [(id: MoodID, set: KeptBytes)] = []
    /// Whether the moods are unchanged since the hooks were asked, under the lock that is held now.
    var isConfirmed = false
    private var createdTaken = 0

    init(
        _ hooks: [Hook], changes: [Change], count: Int? = nil, origin: String? = nil, isDryRun: Bool = false,
        navigation: [UInt8]? = nil, approvedNavigations: [[UInt8]] = [], time: Int64, attempt: Int
    ) {
        rest = hooks
        self.changes = changes
        self.count = count
        self.origin = origin
        self.isDryRun = isDryRun
        self.navigation = navigation
        self.approvedNavigations = approvedNavigations
        self.time = time
        self.attempt = attempt
    }

    /// The plugin that is asked now.
    var asked: HostedPlugin? { current?.hook.plugin }

    /// The id of the next mood that the request made in its first run.
    func nextID() -> MoodID? {
        let created = changes.lazy.filter { $0.kind == "created" }.map(\.id)
        defer { createdTaken += 1 }
        return created.dropFirst(createdTaken).first
    }

    /// Prepares for a run of the request from its beginning.
    func rewind() {
        createdTaken = 0
        isConfirmed = false
    }

    // MARK: Asking

    /// Handles the answer of the present hook and asks the next one.
    /// - Parameter amend: applies a hook's change to a mood, like `mood.update`; throws the problem of it.
    func advance(_ amend: (MoodID, [UInt8], [UInt8]) throws(RPCError) -> [UInt8]) {
        while verdict == nil {
            if let (hook, call) = current {
                guard let outcome = call.outcome else { return }
                current = nil
                take(outcome, of: hook, amend)
            } else if rest.isEmpty {
                verdict = .approved
            } else {
                ask(rest.removeFirst())
            }
        }
    }

    private var method: String { navigation == nil ? "hook.change" : "hook.navigate" }

    private func ask(_ hook: Hook) {
        let call = PluginCall(method, navigation ?? params, timeoutMilliseconds: hook.timeoutMilliseconds)
        current = (hook, call)
        hook.plugin.call(call)
    }

    /// `{changes: [{type, id, before?, after?}], count, origin?, dryRun?}`.
    private var params: [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.key("changes")
        writer.beginArray()
        for change in changes where count == nil {
            writer.beginObject()
            writer.member("type", change.kind)
            writer.member("id", change.id.text)
            if let before = change.before {
                writer.key("before")
                before.withUnsafeBytes { writer.raw($0) }
            }
            if let after = change.after {
                writer.key("after")
                after.withUnsafeBytes { writer.raw($0) }
            }
            writer.endObject()
        }
        writer.endArray()
        writer.member("count", count ?? changes.count)
        writer.member("origin", origin)
        writer.member(ifTrue: "dryRun", isDryRun)
        writer.endObject()
        return Array(writer.buffer.bytes)
    }

    private func take(
        _ outcome: PluginCall.Outcome, of hook: Hook, _ amend: (MoodID, [UInt8], [UInt8]) throws(RPCError) -> [UInt8]
    ) {
        let bytes: [UInt8]
        switch outcome {
        case .result(let answer): bytes = answer
        case .failed(let error): return fail(hook, "answered with an error: \(Self.excerpt(error))")
        case .unusable(let reason): return fail(hook, "gave no answer that can be used: \(reason)")
        case .timedOut: return fail(hook, "has not answered within \(hook.timeoutMilliseconds) ms")
        case .unavailable(let state, _, _): return fail(hook, "does not run (\(state))", isGone: true)
        case .cancelled, .unknown: return fail(hook, "has not answered", isGone: true)
        }
        guard let answer = Answer(bytes, isNavigation: navigation != nil) else {
            let forms =
                navigation == nil ? "{}, {\"veto\": text} or {\"set\": [{\"id\", \"set\"}]}" : "{} or {\"veto\": text}"
            return fail(hook, "is to answer \(forms), not \(Self.excerpt(bytes))")
        }
        switch answer {
        case .consent: return
        case .veto(let reason):
            let reason = reason.isEmpty ? "It has given no reason." : String(reason.prefix(1000))
            verdict = .vetoed(Objection(by: hook.name, reason: reason, message: reason))
        case .set(let sets) where !hook.vetoOnly && count == nil: lay(sets, of: hook, amend)
        // A hook that knows only the number of moods, or may only veto, cannot change them. It is not told so: it consents.
        case .set(let sets) where sets.isEmpty: return
        case .set:
            hook.plugin.note(
                "\(method): Undo, redo, an import and a change of more than 1,000 moods it can only refuse; what it set is left out."
            )
        }
    }

    private func lay(
        _ sets: [(id: MoodID, set: [UInt8])], of hook: Hook,
        _ amend: (MoodID, [UInt8], [UInt8]) throws(RPCError) -> [UInt8]
    ) {
        var laid = changes
        for (id, set) in sets {
            guard let place = laid.firstIndex(where: { $0.id == id && $0.after != nil }), let after = laid[place].after
            else { return fail(hook, "has set something else than the moods of the change") }
            do throws(RPCError) {
                laid[place].after = try amend(id, after, set)
            } catch {
                return fail(hook, "has set what no mood may have: \(error.message)")
            }
        }
        changes = laid
        amendments += sets.map { ($0.id, KeptBytes($0.set)) }
    }

    /// - Parameters:
    ///   - clause: the failure, a predicate of the plugin.
    ///   - isGone: whether the plugin does not run. Its log says that already.
    private func fail(_ hook: Hook, _ clause: String, isGone: Bool = false) {
        let predicate = clause.utf8.last == UInt8(ascii: ".") ? clause : clause + "."
        if !isGone { hook.plugin.note("\(method): It \(predicate)") }
        guard hook.isClosed else { return }
        let (id, checked) = (hook.plugin.id, navigation == nil ? "changes" : "navigation")
        verdict = .vetoed(
            Objection(
                by: hook.name, reason: "It \(predicate)",
                message: "\(id), which checks \(checked), \(predicate) Nothing was done; see mood plugin log \(id).",
                isFinal: isGone))
    }

    private static func excerpt(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix(200), as: UTF8.self) }

    /// The answer of a hook. An answer in any other form has no known meaning, so it counts as none.
    private enum Answer {
        case consent
        case veto(String)
        case set([(id: MoodID, set: [UInt8])])

        init?(_ bytes: [UInt8], isNavigation: Bool) {
            let value = bytes.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
            guard let members = value.object, members.count <= 1 else { return nil }
            guard let member = members.first else {
                self = .consent
                return
            }
            if member.name.utf8.elementsEqual("veto".utf8), let reason = member.value.string {
                self = .veto(reason)
            } else if member.name.utf8.elementsEqual("set".utf8), !isNavigation, let elements = member.value.array {
                var sets: [(id: MoodID, set: [UInt8])] = []
                for element in elements {
                    guard element.object?.count == 2, let id = element["id"]?.string.flatMap({ MoodID($0) }),
                        let set = element["set"], set.object != nil
                    else { return nil }
                    sets.append((id, Array(set.text.utf8)))
                }
                self = .set(sets)
            } else {
                return nil
            }
        }
    }

    /// Gives up: no request waits for the verdict.
    func abandon() {
        if let (hook, call) = current { hook.plugin.abandon(call) }
        current = nil
        rest = []
    }
}
