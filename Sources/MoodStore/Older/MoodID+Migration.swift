import JSONCodec
import MoodCore

extension MoodID {
    /// The namespace of the names below: a fixed random UUID. 2e3fa6d5-51c6-4a2d-9748-99650ceb2dca
    private static let migrationNamespace = MoodID(high: 0x2e3f_a6d5_51c6_4a2d, low: 0x9748_9965_0ceb_2dca)

    /// The id for a mood without one: version 5, RFC 9562, section 5.5. Its name is the mood's index in the array in
    /// decimal, its emoji, its label and its time as version 3 writes them, separated by line feeds (which none of them
    /// can contain). So neither the layout of the file nor the favorite mark changes it.
    init(migrating place: Int, emoji: UnsafeRawBufferPointer, label: UnsafeRawBufferPointer, time: Timestamp) {
        let lineFeed = UInt8(ascii: "\n")
        self.init(version5In: Self.migrationNamespace) { name in
            name.append(integer: place)
            name.append(lineFeed)
            name.append(emoji)
            name.append(lineFeed)
            name.append(label)
            name.append(lineFeed)
            time.write(to: &name)
        }
    }
}
