import MoodStore

/// What a client can be told of.
struct EventTopics: OptionSet {
    let rawValue: UInt8
    /// Commits.
    static let mood = EventTopics(rawValue: 1)
    /// Where the routers of this session are.
    static let nav = EventTopics(rawValue: 2)
    /// The store as a whole.
    static let store = EventTopics(rawValue: 4)
    /// Plugins.
    static let plugin = EventTopics(rawValue: 8)
    /// The sync of the store.
    static let sync = EventTopics(rawValue: 16)
    static let all: EventTopics = [.mood, .nav, .store, .plugin, .sync]

    /// The names of the topics, in the order of the protocol.
    static let named: [(name: StaticString, topic: EventTopics)] = [
        ("mood", .mood), ("nav", .nav), ("store", .store), ("plugin", .plugin), ("sync", .sync),
    ]
}

/// A client's wish to be told. (Combine: a `Subscription`; Redux: a listener; here across a pipe, and with a place in the
/// sequence of commits to go on from.)
struct Subscription {
    let number: Int
    /// Whose it is: 0 is the client, the others are plugins.
    let session: Int
    let topics: EventTopics
    /// The last commit that it has been told of, or need not be.
    var told: Int
    /// The store's revision when it was made: what lies before that was asked for with `since`.
    let begun: Int

    /// As the client knows it.
    var name: String { "s\(number)" }
}

/// The subscriptions of a session, and how far the sequences that are counted in the session have come.
struct EventState {
    static let subscriptionsMax = 64

    var subscriptions: [Subscription] = []
    var lastNumber = 0
    var lastNavigationSeq = 0
    var lastStoreSeq = 0
    var lastPluginSeq = 0
    var lastSyncSeq = 0
    /// The file of settings as it was told of last.
    var settings: [UInt8]?
    /// The store as it was told of last.
    var store: StoreIdentity?

    /// Whether anybody wants to be told of one of these.
    func wants(_ topics: EventTopics) -> Bool {
        subscriptions.contains { !$0.topics.isDisjoint(with: topics) }
    }

    /// The commit after which some subscription has not been told; nil if there is none.
    var toldToAll: Int? { subscriptions.lazy.filter { $0.topics.contains(.mood) }.map(\.told).min() }
}
