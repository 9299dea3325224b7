import JSONCodec
import MoodText

/// A person's settings for all of their programs: `settings.json` in the store's folder.
///
///     {"format":"moodboard-settings","version":1,
///     "dayStartsAt":"04:00",
///     "timeZone":"Europe/Helsinki"
///     ,"crc":"…"}
///
/// The file has only chosen settings. Members that this version does not know stay. The store adds and removes the
/// checksum. (SwiftUI: `@AppStorage`; Android: a Preferences DataStore; here a file that several processes share.)
public struct Settings: Sendable {
    /// The largest file. We write no larger one.
    public static let fileBytesMax = 1 << 20
    private static let format = "moodboard-settings"
    private static let version = 1
    /// The values of `weekStartsOn`: 0 is Monday.
    public static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// The chosen palette; nil is the standard one.
    private var chosenPalette: Palette?
    private var chosenDayStart: Int?
    private var chosenWeekStart: Int?
    public private(set) var timeZone: String?
    public private(set) var locale: String?
    /// Unknown members of the file.
    private var others: [JSONValue.Member] = []

    public init() {}

    public var palette: Palette { chosenPalette ?? .standard }
    /// The start of the day in minutes after midnight, 0-720.
    public var dayStartsAt: Int { chosenDayStart ?? 0 }
    /// The first day of the week; 0 is Monday.
    public var weekStartsOn: Int { chosenWeekStart ?? 0 }

    // MARK: Changing

    /// The members of settings.
    public enum Member: String, CaseIterable, Sendable { case palette, dayStartsAt, timeZone, locale, weekStartsOn }

    /// The problem of a value, and its place.
    public typealias Problem = Palette.Problem

    /// Chooses a value; null returns to the default.
    /// - Parameter isKept: whether the value comes from a file.
    public mutating func set(_ member: Member, to value: JSONValue, isKept: Bool = false) throws(Problem) {
        let isRemoved = if case .null = value { true } else { false }
        do throws(Problem) {
            switch member {
            case .palette: chosenPalette = isRemoved ? nil : try Palette(value, isKept: isKept)
            case .dayStartsAt: chosenDayStart = isRemoved ? nil : try Self.timeOfDay(value)
            case .timeZone: timeZone = isRemoved ? nil : try Self.text(value, TextRule.timeZoneProblem)
            case .locale: locale = isRemoved ? nil : try Self.text(value, TextRule.localeProblem)
            case .weekStartsOn:
                guard isRemoved || value.string.map(Self.weekdays.contains) == true else {
                    throw Problem(path: "", reason: "must be one of \(Self.weekdays.joined(separator: ", "))")
                }
                chosenWeekStart = value.string.flatMap(Self.weekdays.firstIndex)
            }
        } catch {
            throw Problem(path: "/\(member.rawValue)" + error.path, reason: error.reason)
        }
    }

    /// Adopts settings from elsewhere, in the form of `writeChosen`.
    /// - Parameter replaces: whether they replace settings chosen here.
    public mutating func adopt(_ chosen: JSONValue, replaces: Bool) throws(Problem) {
        for member in chosen.object ?? [] {
            if let own = Member(rawValue: member.name) {
                if replaces || !isChosen(own) { try set(own, to: member.value, isKept: true) }
            } else if let place = others.firstIndex(where: { $0.name.utf8.elementsEqual(member.name.utf8) }) {
                if replaces { others[place] = member }
            } else {
                others.append(member)
            }
        }
    }

    /// The problem of a time from 00:00 to 12:00; nil if it is valid.
    public static func dayStartProblem(_ text: UnsafeRawBufferPointer) -> String? {
        minutes(text) == nil ? "must be a time of day from 00:00 to 12:00, such as 04:00" : nil
    }

    private static func minutes(_ text: UnsafeRawBufferPointer) -> Int? {
        let digits = [0, 1, 3, 4].map { $0 < text.count ? text[$0] &- 48 : 255 }
        guard text.count == 5, text[2] == UInt8(ascii: ":"), digits.allSatisfy({ $0 <= 9 }), digits[2] <= 5 else {
            return nil
        }
        let minutes = (Int(digits[0]) * 10 + Int(digits[1])) * 60 + Int(digits[2]) * 10 + Int(digits[3])
        return minutes <= DayClock.minutesMax ? minutes : nil
    }

    private static func timeOfDay(_ value: JSONValue) throws(Problem) -> Int {
        var text = try text(value, dayStartProblem)
        return text.withUTF8 { minutes(UnsafeRawBufferPointer($0)) } ?? 0
    }

    private static func text(
        _ value: JSONValue, _ rule: (UnsafeRawBufferPointer) -> String?
    ) throws(Problem) -> String {
        guard var text = value.string else { throw Problem(path: "", reason: "must be a string") }
        if let reason = text.withUTF8({ rule(UnsafeRawBufferPointer($0)) }) { throw Problem(path: "", reason: reason) }
        return text
    }

    // MARK: The file

    public typealias Damage = FileDamage

    /// Reads a file.
    public init(_ bytes: UnsafeRawBufferPointer) throws(Damage) {
        let value = try Damage.read(bytes, "settings", format: Self.format, version: Self.version)
        for member in value.object ?? [] where !["format", "version", "crc"].contains(member.name) {
            guard let own = Member(rawValue: member.name) else {
                others.append(member)
                continue
            }
            do throws(Problem) { try set(own, to: member.value, isKept: true) } catch {
                throw Damage(offset: 0, reason: "\(error.path) \(error.reason)")
            }
        }
    }

    /// Writes the file: a member on each line.
    public func writeFile(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("format", Self.format)
        writer.member("version", Self.version)
        for member in others {
            writer.key(text: member.name)
            member.value.write(to: &writer)
        }
        for member in Member.allCases where isChosen(member) {
            writer.buffer.append(",\n" as StaticString)
            write(member, to: &writer)
        }
        writer.buffer.append("\n" as StaticString)
        writer.endObject()
        writer.buffer.append("\n" as StaticString)
    }

    private func isChosen(_ member: Member) -> Bool {
        switch member {
        case .palette: chosenPalette != nil
        case .dayStartsAt: chosenDayStart != nil
        case .timeZone: timeZone != nil
        case .locale: locale != nil
        case .weekStartsOn: chosenWeekStart != nil
        }
    }

    public var isAnythingChosen: Bool { !others.isEmpty || Member.allCases.contains(where: isChosen) }

    /// Writes an object of the chosen settings, for another store.
    public func writeChosen(to writer: inout JSONWriter) {
        writer.beginObject()
        for member in others {
            writer.key(text: member.name)
            member.value.write(to: &writer)
        }
        for member in Member.allCases where isChosen(member) { write(member, to: &writer) }
        writer.endObject()
    }

    // MARK: As an answer

    /// Writes all settings, with defaults; zone and locale only if chosen.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for member in Member.allCases
        where isChosen(member) || ![.timeZone, .locale].contains(member) {
            write(member, to: &writer)
        }
        writer.endObject()
    }

    private func write(_ member: Member, to writer: inout JSONWriter) {
        writer.key(text: member.rawValue)
        switch member {
        case .palette: palette.write(to: &writer)
        case .dayStartsAt: writer.string(Self.text(ofMinutes: dayStartsAt))
        case .timeZone: writer.string(timeZone ?? "")
        case .locale: writer.string(locale ?? "")
        case .weekStartsOn: writer.string(Self.weekdays[weekStartsOn])
        }
    }

    private static func text(ofMinutes minutes: Int) -> String {
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return two(minutes / 60) + ":" + two(minutes % 60)
    }
}
