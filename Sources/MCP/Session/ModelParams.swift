import JSONCodec
import JSONRPC
import MoodProtocol

/// The params of a request, parsed in one pass: views of the message, without copies.
public struct ModelParams {
    public private(set) var name: ValidJSON?
    public private(set) var arguments: ValidJSON?
    public private(set) var uri: ValidJSON?
    public private(set) var cursor: ValidJSON?
    public private(set) var reference: ValidJSON?
    public private(set) var argument: ValidJSON?
    public private(set) var notifications: ValidJSON?
    public private(set) var inputResponses: ValidJSON?
    public private(set) var requestState: ValidJSON?
    public private(set) var protocolVersion: ValidJSON?
    public private(set) var level: ValidJSON?
    public private(set) var meta = RequestMeta()

    /// - Throws: `invalidParams` if the params or `_meta` are no object.
    public init(_ params: ValidJSON?) throws(RPCError) {
        guard let params else { return }
        var reader = JSONReader(params)
        guard reader.enterObject() else {
            // Some clients write an empty object as an empty array.
            if reader.enterArray(), !reader.nextElement() { return }
            throw Arguments.error("must be an object", at: "")
        }
        while let key = reader.nextKey() {
            if key.equals("_meta") {
                meta = try RequestMeta(&reader)
                continue
            }
            let value = reader.skip()
            if key.equals("name") {
                name = value
            } else if key.equals("arguments") {
                arguments = value
            } else if key.equals("uri") {
                uri = value
            } else if key.equals("cursor") {
                cursor = value
            } else if key.equals("ref") {
                reference = value
            } else if key.equals("argument") {
                argument = value
            } else if key.equals("notifications") {
                notifications = value
            } else if key.equals("inputResponses") {
                inputResponses = value
            } else if key.equals("requestState") {
                requestState = value
            } else if key.equals("protocolVersion") {
                protocolVersion = value
            } else if key.equals("level") {
                level = value
            }
        }
    }

    /// A member that must be a string.
    public func text(_ value: ValidJSON?, _ name: StaticString, _ meaning: String) throws(RPCError) -> JSONText {
        guard let value, !value.isNull else { throw Arguments.error("is required: \(meaning)", at: "/\(name)") }
        guard let text = value.text else {
            throw Arguments.error("must be a string: \(meaning)", at: "/\(name)")
        }
        return text
    }

    /// A member that must be an object if present; an empty array counts as one.
    public func object(_ value: ValidJSON?, _ name: StaticString) throws(RPCError) -> ValidJSON? {
        guard let value, !value.isNull else { return nil }
        var reader = JSONReader(value)
        if reader.kind == .object { return value }
        if reader.enterArray(), !reader.nextElement() { return nil }
        throw Arguments.error("must be an object", at: "/\(name)")
    }

    /// Rejects a cursor, because lists have one page each.
    public func checkCursor() throws(RPCError) {
        guard let cursor, !cursor.isNull else { return }
        if let text = cursor.text, text.raw.isEmpty { return }
        throw Arguments.error("is no cursor of this list; leave it out to begin at the first page", at: "/cursor")
    }
}

/// The contents of `_meta` of a request.
public struct RequestMeta {
    static let versionKey: StaticString = "io.modelcontextprotocol/protocolVersion"
    static let capabilitiesKey: StaticString = "io.modelcontextprotocol/clientCapabilities"

    /// The revision of the request.
    public private(set) var version: ValidJSON?
    public private(set) var capabilities: ValidJSON?
    /// An integer or a string for `notifications/progress`.
    public private(set) var progressToken: ValidJSON?
    /// Whether the client can ask the user with a form.
    public private(set) var elicits = false

    init() {}

    /// Reads the value at the cursor.
    init(_ reader: inout JSONReader) throws(RPCError) {
        if reader.null() { return }
        guard reader.enterObject() else {
            if reader.enterArray(), !reader.nextElement() { return }
            throw Arguments.error("must be an object", at: "/_meta")
        }
        while let key = reader.nextKey() {
            let value = reader.skip()
            if key.equals(Self.versionKey) {
                version = value
            } else if key.equals(Self.capabilitiesKey) {
                capabilities = value
                value.forEachMember { name, value in if name.equals("elicitation") { elicits = Self.asksForms(value) } }
            } else if key.equals("progressToken") {
                progressToken = value
            }
        }
        if let token = progressToken, !token.isNull, let problem = Schema.token.problem(of: token) {
            throw Arguments.error(problem.reason, at: "/_meta/progressToken")
        }
        if progressToken?.isNull == true { progressToken = nil }
    }

    /// Whether a capability of elicitation has forms: it names them, or no kind at all. (MCP 2025-11-25: "Elicitation",
    /// capabilities)
    private static func asksForms(_ capability: ValidJSON) -> Bool {
        var reader = JSONReader(capability)
        guard reader.kind == .object else { return false }
        var (isEmpty, hasForm) = (true, false)
        capability.forEachMember { name, value in
            isEmpty = false
            if name.equals("form"), !value.isNull { hasForm = true }
        }
        return isEmpty || hasForm
    }

    /// The revision of a request, given the one that `initialize` agreed on.
    /// - Throws: `unsupportedVersion`; `invalidParams` with the missing keys.
    public func revision(agreed: Revision?) throws(RPCError) -> Revision {
        guard let version, !version.isNull else {
            if let agreed { return agreed }
            throw Self.missing(capabilities == nil ? [Self.versionKey, Self.capabilitiesKey] : [Self.versionKey])
        }
        guard let name = version.text else {
            throw Arguments.error("must be a string such as \"2026-07-28\"", at: Self.path(Self.versionKey))
        }
        guard let revision = Revision(name), revision.isStateless else { throw .unsupportedVersion(name.string) }
        guard let capabilities, !capabilities.isNull else { throw Self.missing([Self.capabilitiesKey]) }
        var reader = JSONReader(capabilities)
        // Some clients write an empty object as an empty array.
        guard reader.kind == .object || (reader.enterArray() && !reader.nextElement()) else {
            throw Arguments.error("must be an object; {} where there are none", at: Self.path(Self.capabilitiesKey))
        }
        return revision
    }

    private static func path(_ key: StaticString) -> String { "/_meta/" + JSONPointer.escaped("\(key)") }

    private static func missing(_ keys: [StaticString]) -> RPCError {
        let names = keys.map { "_meta[\"\($0)\"]" }.joined(separator: " and ")
        let reason = "is required: a request needs \(names), or an earlier initialize"
        return RPCError(
            .invalidParams,
            "\(names) \(keys.count == 1 ? "is" : "are") missing. Give it with each request, or begin with initialize.",
            [
                .init("path", .string(path(keys[0]))), .init("reason", .string(reason)),
                .init("missing", .array(keys.map { .string("\($0)") })),
            ])
    }
}

extension RPCError {
    /// The error for an unknown revision, or one that begins with `initialize`.
    static func unsupportedVersion(_ requested: String) -> RPCError {
        let shown = String(requested.unicodeScalars.prefix(64))
        return RPCError(
            .unsupportedProtocolVersion,
            "The revision \"\(shown)\" of MCP is not served so. Use \(Revision.july2026.name), or begin with initialize.",
            [.init("supported", .array(Revision.supported)), .init("requested", .string(shown))])
    }
}

extension ValidJSON {
    public var isNull: Bool {
        var reader = JSONReader(self)
        return reader.null()
    }
}
