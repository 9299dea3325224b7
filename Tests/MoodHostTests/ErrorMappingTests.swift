import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Storage
import Testing

@testable import MoodHost

/// Every error of the layers below becomes an error of the protocol at the one border.
@Suite struct ErrorMappingTests {
    private static let id = MoodID(high: 1, low: 2)
    private static let storage: [(error: StorageError, read: ErrorCode, write: ErrorCode)] = [
        (.busy(reason: "b"), .storeBusy, .storeBusy), (.readOnly(reason: "r"), .storeReadOnly, .storeReadOnly),
        (.full(reason: "f"), .storageFull, .storageFull),
        (.outcomeUnknown(reason: "o"), .outcomeUnknown, .outcomeUnknown),
        (.unavailable(reason: "u", advice: "a"), .storeUnavailable, .storeUnavailable),
        (.corrupt(file: "c", offset: 3, reason: "c"), .storeCorrupt, .storeCorrupt),
        (.newerSchema(version: 9, reason: "n"), .storeUnavailable, .storeReadOnly),
        (.olderSchema(version: 1, reason: "l"), .storeUnavailable, .storeUnavailable),
        (.recordTooLarge(byteCount: 4), .invalidParams, .invalidParams), (.cancelled, .cancelled, .cancelled),
    ]
    private static let moods: [(error: MoodStoreError, code: ErrorCode)] = [
        (.notFound(id), .notFound), (.idTaken(id, revision: 1), .conflict),
        (.revisionConflict(id, current: 2), .conflict), (.operationTaken(current: 3), .conflict),
        (.operationLost(current: 4), .conflict), (.invalidCursor, .invalidParams),
        (.moodTooLarge(bytesMax: 5), .invalidParams),
    ]

    /// Throws the error as a handler does, and maps it as the dispatcher does.
    private func code(of error: any Error, _ effect: MethodDeclaration.Effect) -> ErrorCode? {
        do { throw error } catch {
            guard case .refused(let error) = Stop(error, effect) else { return nil }
            return error.code
        }
    }

    @Test func errorsOfTheStoreSayWhetherItWasToBeChanged() {
        for (error, read, write) in Self.storage {
            #expect(code(of: error, .read) == read, "\(error)")
            #expect(code(of: error, .write) == write, "\(error)")
            #expect(code(of: MoodStoreError.storage(error), .read) == read, "\(error)")
            #expect(code(of: MoodStoreError.storage(error), .write) == write, "\(error)")
        }
    }

    @Test func errorsOfMoodsHaveTheirOwnCodes() {
        for (error, expected) in Self.moods { #expect(code(of: error, .write) == expected, "\(error)") }
    }

    @Test func errorsOfParamsAndTextsHaveTheirOwnCodes() {
        #expect(code(of: RPCError(.refused, "No."), .write) == .refused)
        #expect(code(of: Arguments.error("is wrong", at: "/id"), .read) == .invalidParams)
        for error in [TextError.unknownLocale, .unknownTimeZone, .timeOutOfRange] {
            #expect(code(of: error, .read) == .internalError, "\(error)")
        }
    }

    @Test func anErrorWithoutAFormIsADefect() {
        struct Unknown: Error {}
        #expect(code(of: Unknown(), .read) == .internalError)
    }

    @Test func aWaitIsNoError() {
        #expect(code(of: Stop.waits(.lock), .write) == nil)
    }
}
