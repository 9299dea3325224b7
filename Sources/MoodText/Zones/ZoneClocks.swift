/// The clocks of many zones, for moods that each have a zone of their own: each clock is made once.
///
/// The usual zone replaces an unknown or missing one. The number of zones bounds the memory.
public struct ZoneClocks: Sendable {
    private var clocks: [DayClock]
    private var numbers: [[UInt8]: Int] = [:]
    private let dayStartsAt: Int
    /// Consecutive moods usually have one zone.
    private var latest: (name: [UInt8], number: Int) = ([], 0)

    /// - Parameter dayStartsAt: in minutes after midnight, in every zone.
    /// - Throws: `unknownTimeZone`
    public init(usual: String, dayStartsAt: Int) throws(TextError) {
        clocks = [try DayClock(timeZone: usual, dayStartsAt: dayStartsAt)]
        self.dayStartsAt = dayStartsAt
    }

    /// The clock's reading at a moment.
    /// - Parameter zone: its name in UTF-8; nil for the usual one.
    public mutating func reading(_ time: Int64, in zone: UnsafeRawBufferPointer?) -> DayClock.Reading {
        guard let zone else { return clocks[0].reading(time) }
        if !latest.name.elementsEqual(zone) { latest = (Array(zone), number(of: Array(zone))) }
        return clocks[latest.number].reading(time)
    }

    /// The number of a zone's clock, for repeated use.
    public mutating func clock(of zone: UnsafeRawBufferPointer) -> Int { number(of: Array(zone)) }

    /// - Parameter clock: 0 is the usual one.
    public mutating func stretch(around time: Int64, clock: Int) -> DayClock.Stretch {
        clocks[clock].stretch(around: time)
    }

    /// The usual clock, for other calls.
    public var usual: DayClock { clocks[0] }

    private mutating func number(of zone: [UInt8]) -> Int {
        if let number = numbers[zone] { return number }
        var number = 0
        if zone.count <= TimeZones.nameBytesMax,
            let clock = try? DayClock(timeZone: String(decoding: zone, as: UTF8.self), dayStartsAt: dayStartsAt)
        {
            clocks.append(clock)
            number = clocks.count - 1
        }
        if numbers.count < 2_000 { numbers[zone] = number }
        return number
    }
}
