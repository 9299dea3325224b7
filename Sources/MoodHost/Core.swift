import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Storage

/// All state of the host: the store, where the client is, and what does not change. One loop owns it, so nothing in it
/// is shared or locked. (Redux: the store; Elm: the model; here with a disk behind it.)
struct Core: ~Copyable {
    static let version = "0.1.0"

    var store: MoodRecords
    var navigation = NavigationState()
    var phrases = Phrases()
    /// The bytes of a mood that is looked at while others are read.
    var record = ByteBuffer(capacity: 16)
    /// The moment of the requests that are handled now.
    private(set) var now = Timestamp.minimum
    let options: HostOptions
    let path: String?
    /// Set by `host.shutdown`: nothing more is read.
    var isShuttingDown = false
    /// Notifications that the present request has caused; they are sent before its answer.
    let notices = NoticeQueue()
    /// Set by a request that cannot be carried out twice: the group of requests ends with it.
    var endsGroup = false
    private var random = SystemRandomNumberGenerator()

    init(_ options: HostOptions, _ location: MoodRecords.Location) {
        self.options = options
        store = MoodRecords(location)
        if case .directory(let path) = options.place { self.path = path } else { path = nil }
    }

    /// Takes the time for the requests to come.
    mutating func setTime(_ milliseconds: Int64) {
        now = Timestamp(milliseconds: milliseconds) ?? .minimum
        store.setTime(now)
    }

    mutating func makeID() -> MoodID { MoodID(version7At: now, random: (random.next(), random.next())) }
}

/// The routers of a session by name; `main` is the one for a client that asks for no other.
struct NavigationState {
    static let routersMax = 64
    static let mainName = "main"

    private var main = Router()
    private var others: [String: Router] = [:]

    /// A router as it is; one that nobody has used is at its root.
    func router(_ name: String) -> Router {
        name == Self.mainName ? main : others[name] ?? Router()
    }

    /// Calls `body` with a router, which is made when there is none of this name.
    /// - Throws: when there are too many, or when `body` throws.
    mutating func withRouter<Failure: Error>(
        _ name: String, _ body: (inout Router) throws(Failure) -> Void
    ) throws(NavigationError<Failure>) {
        if name == Self.mainName {
            do throws(Failure) { return try body(&main) } catch { throw .failed(error) }
        }
        if others[name] == nil, others.count >= Self.routersMax - 1 { throw .tooManyRouters }
        var router = others[name] ?? Router()
        do throws(Failure) { try body(&router) } catch { throw .failed(error) }
        others[name] = router
    }
}

enum NavigationError<Failure: Error>: Error {
    case tooManyRouters
    case failed(Failure)
}
