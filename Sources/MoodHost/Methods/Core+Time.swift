import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodText

/// `time.*`: the language of time, which other methods use too.
extension Core {
    static let timeHandlers: InlineArray<_, Handler> = [
        Handler(
            TimeMethods.parse, { (core, _, arguments, out) throws(RPCError) in try core.parseTime(arguments, &out) })
    ]

    private mutating func parseTime(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
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
        out.key("isSpan")
        out.boolean(meaning.isSpan)
        if let days = meaning.days {
            out.key("dayFrom")
            out.string(CivilDate(daysSince1970: days.lowerBound).text)
            out.key("dayTo")
            out.string(CivilDate(daysSince1970: days.upperBound).text)
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
    ) throws(RPCError) -> TimeLanguage.Meaning {
        let clock = try dayClock(timeZone)
        var language = TimeLanguage(clock, now: (now ?? self.now).milliseconds)
        do throws(TimeProblem) { return try language.meaning(of: text) } catch {
            throw Arguments.error(error.text(with: examples), at: path)
        }
    }

    /// The wall clock of a zone, with the time at which days begin.
    /// - Parameter timeZone: nil: the host's.
    mutating func dayClock(_ timeZone: String?) throws(RPCError) -> DayClock {
        do throws(TextError) {
            return try DayClock(
                timeZone: self.timeZone(timeZone) ?? TimeZones.system, dayStartsAt: usableSettings().dayStartsAt)
        } catch {
            throw RPCError(error)
        }
    }
}

extension JSONWriter {
    /// Writes a time of the years 0001-9999, given in milliseconds since 1970.
    mutating func time(_ milliseconds: Int64) {
        string((Timestamp(milliseconds: milliseconds) ?? .minimum).text)
    }
}
