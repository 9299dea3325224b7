import JSONCodec
import JSONRPC
import MCP
import MoodCore
import MoodProtocol
import Versions

/// `resources/list` and `resources/read`.
extension Dispatcher {
    private static let pageCount = 50

    /// Lists the moods page by page, after the resources that always exist.
    mutating func listResources(
        _ given: ModelParams, _ revision: Revision
    ) throws -> ModelPlan {
        let year = has("stats.render") ? core.now.text.prefix(4) : ""
        let moods = { (cursor: String) -> [NativeCall] in
            var params: [JSONValue.Member] = [.init("limit", .number(String(Self.pageCount)))]
            if !cursor.isEmpty { params.append(.init("cursor", .string(cursor))) }
            return [NativeCall("mood.list", .object(params))]
        }
        return try list(.resources, given, moods) {
            (_, cursor, outcomes, out) throws in
            if case .failure(let error) = outcomes[0], error.code == .invalidParams { throw ListPlace.invalid }
            let page = JSONValue(bytes: try outcomes[0].get())
            if cursor.isEmpty {
                Resource("moodboard://moods", "Moods", "The newest moods, as JSON and as Markdown.").write(to: &out)
                Resource("moodboard://menu", "Menu", "The menu of the app, as a screen.").write(to: &out)
                if !year.isEmpty {
                    Resource("moodboard://year/\(year)", "\(year)", "The year in pixels.", "image/svg+xml").write(
                        to: &out)
                }
            }
            for mood in page["items"]?.array ?? [] {
                Resource(
                    "moodboard://mood/\(mood["id"]?.string ?? "")",
                    "\(mood["emoji"]?.string ?? "") \(mood["label"]?.string ?? "")",
                    "A mood of \(mood["timestamp"]?.string ?? "")."
                ).write(to: &out)
            }
            return page["nextCursor"]?.string
        }
    }

    /// Whether the host has a method.
    private mutating func has(_ method: StaticString) -> Bool { core.methods.find(JSONText(method)) != nil }

    mutating func listTemplates(
        _ given: ModelParams
    ) throws -> ModelPlan {
        let templates = ResourceAddress.templates.filter { $0.method.map { has($0) } ?? true }
        return try list(
            .resourceTemplates, given, freshFor: JSONWriter.listMilliseconds
        ) { (_, cursor, _, out) throws in
            try Self.checkIsFirst(cursor)
            for template in templates {
                out.beginObject()
                out.member("uriTemplate", template.template)
                out.member("name", template.name)
                out.member("title", template.name)
                out.member("description", template.summary)
                out.member("mimeType", template.mediaType)
                out.endObject()
            }
            return nil
        }
    }

    /// Rejects a cursor: the host's own part of most lists is one page.
    static func checkIsFirst(_ cursor: String) throws {
        guard cursor.isEmpty else { throw ListPlace.invalid }
    }

    /// The way to read a resource.
    enum Reading {
        case plan(ModelPlan)
        case moods(MoodList)
    }

    /// A list of moods as a resource.
    struct MoodList {
        let title: String
        /// The most moods of the first request.
        let limit: Int
        /// The params of `mood.list`.
        let params: [JSONValue.Member]
        let contents: ResourceContents
        let uri: String
        let revision: Revision
    }

    mutating func reading(_ given: ModelParams, _ revision: Revision) throws -> Reading {
        let uri = try given.text(given.uri, "uri", "the address of a resource").string
        if let (server, address) = server(of: uri) {
            return .plan(try readResource(address, of: server, revision))
        }
        guard let address = ResourceAddress(uri) else { throw RPCError.noResource(uri, revision) }
        let notes: NotesRule = core.options.hidesNotes ? .hidden : .whole
        let contents = ResourceContents(uri, notes: notes, version: Version.program)
        if let (title, limit, params) = Self.list(at: address) {
            return .moods(
                MoodList(
                    title: title, limit: limit, params: params, contents: contents, uri: uri, revision: revision))
        }
        return .plan(
            ModelPlan(calls(for: address)) { (_, outcomes, out) throws in
                var parts: [[UInt8]] = []
                for outcome in outcomes {
                    do throws(RPCError) { parts.append(try outcome.get()) } catch {
                        throw Self.failure(error, uri, revision)
                    }
                }
                Self.write(address, parts, contents, to: &out)
            })
    }

    /// The error for an address that is unknown or invalid.
    private static func failure(_ error: RPCError, _ uri: String, _ revision: Revision) -> RPCError {
        switch error.code {
        case .notFound: .noResource(uri, revision, RPCError(.notFound, Tool.inToolWords(error.message)))
        case .invalidParams:
            .noResource(uri, revision, RPCError(.notFound, "Its last part \(Self.reason(of: error))."))
        case .methodNotFound: .noResource(uri, revision)
        default: error
        }
    }

    /// The reason without the place in params that no AI client has sent.
    private static func reason(of error: RPCError) -> String {
        Tool.inToolWords(error.details.first { $0.name == "reason" }?.value.string ?? error.message)
    }

    /// The params of `mood.list` for a list of moods, and its title; nil for another resource.
    private static func list(at address: ResourceAddress) -> (title: String, limit: Int, params: [JSONValue.Member])? {
        func params(_ cursor: String?, _ filter: JSONValue?) -> [JSONValue.Member] {
            (cursor.map { [.init("cursor", .string($0))] } ?? []) + (filter.map { [.init("filter", $0)] } ?? [])
        }
        switch address {
        case .moods(let cursor): return ("Moods", pageCount, params(cursor, nil))
        case .day(let date, let cursor):
            return (date, 1000, params(cursor, ["dayFrom": .string(date), "dayTo": .string(date)]))
        case .tag(let tag, let cursor): return ("#" + tag, pageCount, params(cursor, ["tags": [.string(tag)]]))
        default: return nil
        }
    }

    /// Reads a list of moods, and asks for fewer if the answer would be too long. Each round asks for fewer than the
    /// last page had, and one mood is always written, so it ends.
    mutating func readMoods(
        _ list: MoodList, _ request: borrowing Request, to out: inout JSONWriter
    ) throws {
        var limit = list.limit
        while true {
            let members: [JSONValue.Member] = [.init("limit", .number(String(limit)))]
            let params = KeptBytes(Array(JSONValue.object(members + list.params).text.utf8))
            switch try params.withJSON({ try ask("mood.list", .whole($0), for: request) }) {
            case .success(let page):
                let bytesMax = min(request.room, limits[.messageBytes]) - Self.bytesAroundResource
                guard
                    let fewer = list.contents.writeMoods(page, title: list.title, bytesMax: bytesMax, to: &out),
                    limit > 1
                else { return }
                limit = min(fewer, limit - 1)
            case .failure(let error): throw Self.failure(error, list.uri, list.revision)
            }
        }
    }

    /// The most bytes of the envelope of an answer.
    private static let bytesAroundResource = 1024

    /// The native calls that read a resource.
    private mutating func calls(for address: ResourceAddress) -> [NativeCall] {
        switch address {
        case .moods, .day, .tag: return []
        case .mood(let id):
            return [
                NativeCall("mood.get", ["id": .string(id.text)]),
                NativeCall("mood.share", ["id": .string(id.text), "format": "markdown"]),
            ]
        case .stats(let span):
            return [
                NativeCall("stats.summary", ["span": .string(Self.span(span))]),
                NativeCall("stats.render", ["what": "summary", "format": "text", "span": .string(Self.span(span))]),
            ]
        case .year(let year):
            let number = JSONValue.number(String(year))
            return [
                NativeCall("stats.render", ["what": "year", "format": "svg", "year": number]),
                NativeCall("stats.render", ["what": "year", "format": "text", "year": number]),
            ]
        case .screen(let route): return [NativeCall("nav.screen", ["route": Self.value(of: route)])]
        case .menu: return [NativeCall("nav.screen", ["route": Self.value(of: .menu)])]
        }
    }

    /// The span of a word; `week` is this week.
    private static func span(_ word: String) -> String {
        ["week", "month", "year"].contains(word) ? "this \(word)" : word
    }

    static func value(of route: Route) -> JSONValue {
        var members: [JSONValue.Member] = [.init("name", .string("\(route.name)"))]
        if let id = route.id { members.append(.init("id", .string(id.text))) }
        return .object(members)
    }

    private static func write(
        _ address: ResourceAddress, _ parts: [[UInt8]], _ contents: ResourceContents, to out: inout JSONWriter
    ) {
        parts[0].withUnsafeBytes { first in
            let first = ValidJSON(trusting: first)
            switch address {
            case .moods, .day, .tag: break
            case .screen, .menu: contents.writeScreen(first, to: &out)
            case .mood:
                parts[1].withUnsafeBytes { contents.writeMood(first, markdown: ValidJSON(trusting: $0), to: &out) }
            case .stats:
                parts[1].withUnsafeBytes {
                    contents.write(first, as: "application/json", isText: false, ValidJSON(trusting: $0), to: &out)
                }
            case .year:
                parts[1].withUnsafeBytes {
                    contents.write(first, as: "image/svg+xml", isText: true, ValidJSON(trusting: $0), to: &out)
                }
            }
        }
    }
}

extension JSONValue {
    /// The value of JSON that the host has written.
    init(bytes: [UInt8]) { self = bytes.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) } }
}

extension RPCError {
    /// The error for an unknown address. Each era has its own code for it.
    static func noResource(_ uri: String, _ revision: Revision, _ cause: RPCError? = nil) -> RPCError {
        let shown = String(uri.unicodeScalars.prefix(200))
        let reason = cause?.message ?? "resources/templates/list says which there are."
        let details: [JSONValue.Member] = [
            .init("path", "/uri"), .init("reason", .string("names no resource: \(reason)")),
            .init("uri", .string(shown)),
        ]
        return RPCError(
            revision.isStateless ? .invalidParams : .resourceNotFound, "There is no resource \"\(shown)\". \(reason)",
            details)
    }
}
