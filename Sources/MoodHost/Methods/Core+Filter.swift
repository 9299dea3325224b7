import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText

/// A `filter`: from checked params to a filter of the store.
extension Core {
    mutating func filter(_ value: ValidJSON, timeZone: String? = nil) throws -> MoodFilter {
        var isExact = false
        value.forEachMember { key, value in
            if FilterParams.exact.name.matches(key) { isExact = value.boolean ?? false }
        }
        var filter = MoodFilter(isExact: isExact)
        var (dayFrom, dayTo): (CivilDate?, CivilDate?)
        value.forEachMember { key, value in
            if FilterParams.isFavorite.name.matches(key) {
                filter.isFavorite = value.boolean
            } else if FilterParams.emoji.name.matches(key) {
                value.text?.withDecoded { filter.select(emoji: $0) }
            } else if FilterParams.label.name.matches(key) {
                value.text?.withDecoded { filter.select(label: $0) }
            } else if FilterParams.text.name.matches(key) {
                value.text?.withDecoded { filter.search($0) }
            } else if FilterParams.tags.name.matches(key) {
                Self.add(value, .all, to: &filter)
            } else if FilterParams.anyTags.name.matches(key) {
                Self.add(value, .any, to: &filter)
            } else if FilterParams.noTags.name.matches(key) {
                Self.add(value, .none, to: &filter)
            } else if FilterParams.valenceFrom.name.matches(key) {
                filter.valenceFrom = JSONValue(value).double
            } else if FilterParams.valenceTo.name.matches(key) {
                filter.valenceTo = JSONValue(value).double
            } else if FilterParams.from.name.matches(key) {
                filter.from = value.time
            } else if FilterParams.to.name.matches(key) {
                filter.to = value.time
            } else if FilterParams.dayFrom.name.matches(key) {
                dayFrom = (value.text?.string).flatMap { CivilDate($0) }
            } else if FilterParams.dayTo.name.matches(key) {
                dayTo = (value.text?.string).flatMap { CivilDate($0) }
            }
        }
        if filter.valenceFrom != nil || filter.valenceTo != nil { filter.palette = try settings().palette }
        if dayFrom != nil || dayTo != nil {
            let (first, last) = (dayFrom?.daysSince1970 ?? .min, dayTo?.daysSince1970 ?? .max)
            guard first <= last else {
                throw Arguments.error("must not be before dayFrom", at: "/filter/dayTo")
            }
            filter.days = (first...last, try zoneClocks(timeZone))
        }
        return filter
    }

    private static func add(_ tags: ValidJSON, _ condition: MoodFilter.TagCondition, to filter: inout MoodFilter) {
        tags.forEachElement { tag in
            if let tag = tag.text { tag.withDecoded { filter.add(tag: $0, to: condition) } }
        }
    }

    /// The clocks that put moods on days.
    /// - Parameter timeZone: the zone of moods without one; nil: the host's.
    mutating func zoneClocks(_ timeZone: String?) throws -> ZoneClocks {
        let dayStartsAt = try settings().dayStartsAt
        let usual = self.timeZone(timeZone) ?? TimeZones.system
        return try ZoneClocks(usual: usual, dayStartsAt: dayStartsAt)
    }
}
