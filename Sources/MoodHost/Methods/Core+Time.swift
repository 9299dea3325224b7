import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodText

/// `time.*`: the language of time, which other methods use too.
extension Core {
    static let timeHandlers: InlineArray<_, Handler> = [
        Handler(TimeMethods.parse, { try $0.parseTime($2, &$3) })
    ]

    private mutating func parseTime(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws {
        let meaning = try meaning(
            of: arguments[TimeParams.text], at: "/text", timeZone: arguments[TimeParams.timeZone],
            now: arguments[TimeParams.now])
        out.beginObject()
        out.key("start")
        out.time(meaning.start)
        out.key("end")
        out.time(meaning.end)
        if let at = meaning.at {
            out.key("at")
            out.time(at)
        }
        out.member("isSpan", meaning.isSpan)
        if let days = meaning.days {
            out.member("dayFrom", CivilDate(daysSince1970: days.lowerBound).text)
            out.member("dayTo", CivilDate(daysSince1970: days.upperBound).text)
        }
        out.endObject()
    }

    /// The meaning of a phrase of the language of time.
    /// - Parameters:
    ///   - path: the pointer to the phrase in the params.
    ///   - examples: phrases that the error shows.
    ///   - timeZone: nil: the host's.
    ///   - now: nil: the time of the request.
    /// - Throws: `invalidParams`, with the part that was understood.
    mutating func meaning(
        of text: String, at path: String, examples: [String] = TimeLanguage.examples, timeZone: String? = nil,
        now: Timestamp? = nil
    ) throws -> TimeLanguage.Meaning {
        let clock = try dayClock(timeZone)
        var language = TimeLanguage(clock, now: (now ?? self.now).milliseconds)
        do throws(TimeProblem) { return try language.meaning(of: text) } catch {
            throw Arguments.error(error.text(with: examples), at: path)
        }
    }

    /// The wall clock of a zone, with the time at which days begin.
    /// - Parameter timeZone: nil: the host's.
    mutating func dayClock(_ timeZone: String?) throws -> DayClock {
        return try DayClock(
            timeZone: self.timeZone(timeZone) ?? TimeZones.system, dayStartsAt: usableSettings().dayStartsAt)
    }
}

extension JSONWriter {
    /// Writes a time of the years 0001-9999, given in milliseconds since 1970.
    mutating func time(_ milliseconds: Int64) {
        string((Timestamp(milliseconds: milliseconds) ?? .minimum).text)
    }
}
