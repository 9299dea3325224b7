import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Storage

/// An error of the layers below, which has a form in the protocol.
protocol RPCErrorConvertible: Error {
    /// - Parameter effect: the effect of the method that failed.
    func rpcError(_ effect: MethodDeclaration.Effect) -> RPCError
}

extension MoodStoreError: RPCErrorConvertible {
    func rpcError(_ effect: MethodDeclaration.Effect) -> RPCError {
        if case .storage(let error) = self { error.rpcError(effect) } else { RPCError(self) }
    }
}

extension StorageError: RPCErrorConvertible {
    func rpcError(_ effect: MethodDeclaration.Effect) -> RPCError { RPCError(self, forWriting: effect == .write) }
}

extension TextError: RPCErrorConvertible {
    func rpcError(_ effect: MethodDeclaration.Effect) -> RPCError { RPCError(self) }
}

extension Problem: RPCErrorConvertible {
    func rpcError(_ effect: MethodDeclaration.Effect) -> RPCError { Arguments.error(self) }
}

extension Settings.Problem: RPCErrorConvertible {
    func rpcError(_ effect: MethodDeclaration.Effect) -> RPCError { Arguments.error(reason, at: path) }
}

/// The one place that maps the errors of the layers below to RPC errors.
extension RPCError {
    /// - Parameter effect: the effect of the method that failed.
    init(_ error: any Error, _ effect: MethodDeclaration.Effect) {
        self =
            (error as? RPCError) ?? (error as? any RPCErrorConvertible)?.rpcError(effect)
            ?? RPCError(.internalError, "The host has met an error that it does not know: \(error).")
    }

    init(_ error: MoodStoreError) {
        switch error {
        case .notFound(let id): self = .notFound(id)
        case .idTaken(let id, let revision):
            self.init(
                .conflict, "Another mood has the id \(id.text). Leave out id to have one made.",
                [.init("reason", "id"), .init("currentRevision", .number(String(revision)))])
        case .revisionConflict(let id, let current):
            self.init(
                .conflict,
                "The mood \(id.text) is at revision \(current). Read it again, then decide whether your change still fits.",
                [.init("reason", "revision"), .init("currentRevision", .number(String(current)))])
        case .operationTaken(let current):
            self.init(
                .conflict,
                "Another request had this opId. Choose a new one for each change; use one again only to repeat its request.",
                [.init("reason", "opId"), .init("currentRevision", .number(String(current)))])
        case .operationLost(let current):
            self.init(
                .conflict,
                "A request with this opId was carried out before files of the store were changed by something else, and its"
                    + " answer is lost. Nothing was done again. Read what there is now, and choose a new opId.",
                [.init("reason", "opId"), .init("currentRevision", .number(String(current)))])
        case .undoRefused(.touched(let id, let revision)):
            self.init(
                refused:
                    "Commit \(revision) cannot be taken back: the mood \(id.text) has"
                    + " been changed by another one since.", id)
        case .undoRefused(.unknown(let revision)):
            self.init(
                .notFound, "There is no commit \(revision). See store.log.", [.init("name", .string(String(revision)))])
        case .undoRefused(.reversal(let revision)):
            self.init(
                refused: "Commit \(revision) is an undo or redo itself. Name the commit that it took back (store.log).")
        case .undoRefused(.foreign(let revision)):
            self.init(
                refused: "Commit \(revision) is not one of yours. Take back those of others with scope \"store\";"
                    + " what came by sync, or is a plugin's, is theirs.")
        case .undoRefused(.already(let revision, let isRedo)):
            self.init(
                refused: isRedo
                    ? "Commit \(revision) has not been taken back, so there is nothing to make again."
                    : "Commit \(revision) has been taken back already.")
        case .undoRefused(.forgotten(let revision, let isLarge)):
            self.init(
                refused: isLarge
                    ? "Commit \(revision) cannot be undone: what it replaced is more than is kept in memory."
                    : "Commit \(revision) and those before it cannot be undone: only the last commits are kept.")
        case .invalidCursor:
            self = Arguments.error(
                "is no cursor of this list; hand back a nextCursor, with the other params as they were", at: "/cursor")
        case .moodTooLarge(let bytesMax):
            self = Arguments.error(
                "would make a mood of more than \(bytesMax) bytes, which no answer could show", at: "")
        case .storage(let error): self.init(error, forWriting: false)
        }
    }

    /// - Parameter forWriting: whether the request would change something.
    init(_ error: StorageError, forWriting: Bool) {
        switch error {
        case .busy(let reason): self.init(.storeBusy, reason)
        case .readOnly(let reason): self.init(.storeReadOnly, reason, [.init("reason", .string(reason))])
        case .full(let reason): self.init(.storageFull, reason)
        case .outcomeUnknown(let reason): self.init(.outcomeUnknown, reason)
        case .unavailable(let reason, let advice):
            self.init(.storeUnavailable, "\(reason) \(advice)", [.init("reason", .string(reason))])
        case .corrupt(let file, let offset, let reason):
            self.init(
                .storeCorrupt, reason,
                [.init("file", .string(file)), .init("offset", .number(String(offset)))])
        case .recordTooLarge(let byteCount):
            self = Arguments.error(
                "would make a mood of \(byteCount) bytes, and at most \(RecordStore.recordBytesMax) can be kept", at: ""
            )
        case .cancelled: self.init(.cancelled, error.reason)
        case .olderSchema(_, let reason):
            self.init(.storeUnavailable, reason, [.init("reason", .string(reason))])
        case .newerSchema(_, let reason):
            self.init(forWriting ? .storeReadOnly : .storeUnavailable, reason, [.init("reason", .string(reason))])
        }
    }

    /// The request's locale and zone were checked, so this is a defect of the data or of the host.
    init(_ error: TextError) {
        self.init(.internalError, "The times of this mood cannot be put into words: \(error).")
    }

    private init(refused reason: String, _ id: MoodID? = nil) {
        self = .refused(by: "store", reason, id.map { [.init("id", .string($0.text))] } ?? [])
    }

    /// - Parameters:
    ///   - message: a sentence for users; nil: the reason.
    ///   - more: details besides.
    static func refused(
        by name: String, _ reason: String, message: String? = nil, _ more: [JSONValue.Member] = []
    ) -> RPCError {
        RPCError(.refused, message ?? reason, [.init("by", .string(name)), .init("reason", .string(reason))] + more)
    }

    /// The error of more than there may be.
    static func over(_ limit: String, _ value: Int, _ message: String, _ code: ErrorCode = .limitExceeded) -> RPCError {
        RPCError(code, message, [.init("limit", .string(limit)), .init("value", .number(String(value)))])
    }

    /// The error of bytes that are no message.
    init(_ fault: FrameReader.Fault) {
        switch fault {
        case .tooLarge(let limit):
            self = .over(
                "messageBytes", limit,
                "A message may have at most \(limit) bytes. Split the work, or start the host with a larger --limit messageBytes.",
                .messageTooLarge)
        case .headerTooLarge(let limit):
            self = .over(
                "headerBytes", limit,
                "A header block may have at most \(limit) bytes. Send Content-Length alone, or start the host with a larger --limit headerBytes.",
                .messageTooLarge)
        case .brokenHeader:
            self.init(
                .parseError,
                "A header line is a name, a colon and a value, and an empty line ends the block. Send such lines, then the body.",
                [.init("offset", 0), .init("reason", "a line of the header block is no header line")])
        case .noLength:
            self.init(
                .parseError, "A header block needs Content-Length with the number of bytes of the body.",
                [.init("offset", 0), .init("reason", "no usable Content-Length")])
        case .cutShort:
            self.init(
                .parseError, "The input ended inside a message with a header block.",
                [.init("offset", 0), .init("reason", "the text ends too early")])
        }
    }

    /// The error of an answer that does not fit.
    static func answerTooLong(bytesMax: Int, isOfBatch: Bool) -> RPCError {
        isOfBatch
            ? .over(
                "messageBytes", bytesMax,
                "The answer does not fit into the batch's answer of at most \(bytesMax) bytes. Ask for it by itself.",
                .messageTooLarge)
            : .over(
                "messageBytes", bytesMax,
                "The answer would have more than \(bytesMax) bytes. Ask for less, or start the host with a larger --limit messageBytes."
            )
    }

    static func notFound(_ id: MoodID) -> RPCError {
        RPCError(
            .notFound, "There is no mood with the id \(id.text). List the moods with mood.list.",
            [.init("id", .string(id.text))])
    }

    static func methodNotFound(_ name: String, _ suggestions: [String]) -> RPCError {
        let shown = String(name.unicodeScalars.prefix(100))
        let hint =
            suggestions.isEmpty
            ? "rpc.discover lists all methods." : "Did you mean \(suggestions.joined(separator: " or "))?"
        return RPCError(
            .methodNotFound, "There is no method \"\(shown)\". \(hint)",
            [.init("suggestions", .array(suggestions.map { .string($0) }))])
    }
}
