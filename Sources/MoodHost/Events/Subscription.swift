import MoodStore

/// The topics of events.
struct EventTopics: OptionSet {
    let rawValue: UInt8
    /// Commits.
    static let mood = EventTopics(rawValue: 1)
    /// The positions of this session's routers.
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

/// A client's subscription to events. (Combine: a `Subscription`; Redux: a listener; here across a pipe, and with a
/// place in the sequence of commits to continue from.)
struct Subscription {
    let number: Int
    /// The session of the subscriber: 0 is the client, the others are plugins.
    let session: Int
    let topics: EventTopics
    /// The last commit that it got, or need not get.
    var told: Int
    /// The store's revision when it began: earlier commits were requested with `since`.
    let begun: Int

    /// Its name in the protocol.
    var name: String { "s\(number)" }
}

/// The subscriptions of a session, and the last numbers of the sequences that the session counts.
struct EventState {
    static let subscriptionsMax = 64

    var subscriptions: [Subscription] = []
    var lastNumber = 0
    var lastNavigationSeq = 0
    var lastStoreSeq = 0
    var lastPluginSeq = 0
    var lastSyncSeq = 0
    /// The text of the settings as reported last.
    var settings: [UInt8]?
    /// The store as reported last.
    var store: StoreIdentity?

    /// Whether any subscription has one of these topics.
    func wants(_ topics: EventTopics) -> Bool {
        subscriptions.contains { !$0.topics.isDisjoint(with: topics) }
    }

    /// The last commit that all subscriptions have; nil without subscriptions to moods.
    var toldToAll: Int? { subscriptions.lazy.filter { $0.topics.contains(.mood) }.map(\.told).min() }
}
