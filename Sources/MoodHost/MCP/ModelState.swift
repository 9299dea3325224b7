import JSONRPC
import MCP
import MoodCore

/// What an AI client has agreed on and asked for while it is connected; a part of the session's state.
struct ModelState {
    /// So many resources can be subscribed to.
    static let addressesMax = 1000
    static let listenersMax = 64

    /// The revision that `initialize` has agreed on; nil: each request says its own.
    var agreed: Revision?
    /// What `resources/subscribe` was for.
    var addresses: [String] = []
    /// Whether the older era is told that the list of resources has changed.
    var hearsLists = false
    var listeners: [ModelListener] = []
    /// The last commit that has been told of, or need not be; nil where nobody wants to be told.
    var told: Int?

    /// Whether somebody wants to be told of commits.
    var followsStore: Bool { told != nil }

    var wantsCommits: Bool {
        hearsLists || !addresses.isEmpty || listeners.contains { $0.hearsLists || !$0.addresses.isEmpty }
    }

    func awaits(_ revision: Int) -> Bool { told == revision - 1 }
}

/// A `subscriptions/listen` that goes on.
struct ModelListener {
    /// As it was written.
    let id: [UInt8]
    let framing: Framing
    let hearsTools: Bool
    let hearsLists: Bool
    let addresses: [String]
}

/// The moods that commits have touched since somebody was told.
struct TouchedMoods {
    private(set) var isEmpty = true
    private var ids: Set<MoodID> = []
    /// Whether there were more than are kept, or nobody knows which.
    private var isAll = false
    private static let idsMax = 1000

    mutating func add(_ id: MoodID) {
        isEmpty = false
        if ids.count < Self.idsMax { ids.insert(id) } else { isAll = true }
    }

    mutating func addAll() { (isEmpty, isAll) = (false, true) }

    /// Whether what is at an address may be another now.
    func mayChange(_ address: String) -> Bool {
        switch ResourceAddress(address) {
        case .mood(let id): isAll || ids.contains(id)
        case .menu, .screen(.menu), nil: false
        case .moods, .day, .tag, .stats, .year, .screen: true
        }
    }
}
