/// The five moods that `store.insertSamples` adds, with their ages in seconds.
public enum Samples {
    public struct Sample: Sendable {
        public let emoji: StaticString
        public let label: StaticString
        public let ageSeconds: Int64
        public let isFavorite: Bool
    }

    public static let all = [
        Sample(emoji: "😊", label: "Happy", ageSeconds: 3600, isFavorite: true),
        Sample(emoji: "🎉", label: "Excited", ageSeconds: 7200, isFavorite: false),
        Sample(emoji: "😌", label: "Calm", ageSeconds: 10_800, isFavorite: true),
        Sample(emoji: "😢", label: "Sad", ageSeconds: 86_400, isFavorite: false),
        Sample(emoji: "😴", label: "Tired", ageSeconds: 172_800, isFavorite: false),
    ]
}
