/// A tally for each day. Moods come in order of time, so a mood's day is mostly that of the mood before.
struct DayTallies {
    private var places: [Int: Int] = [:]
    private var days: [(day: Int, tally: Tally)] = []
    private var latest = -1

    @inline(__always)
    mutating func add(_ day: Int, _ valence: Double?) {
        if latest < 0 || days[latest].day != day { find(day) }
        days[latest].tally.add(valence)
    }

    private mutating func find(_ day: Int) {
        // Around midnight, moods of several zones alternate.
        for place in (latest - 1)...(latest + 1) where days.indices.contains(place) && days[place].day == day {
            return latest = place
        }
        if let place = places[day] { return latest = place }
        latest = days.count
        places[day] = latest
        days.append((day, Tally()))
    }

    /// The number of days with a mood.
    var count: Int { days.count }
    var last: Int? { days.lazy.map(\.day).max() }
    subscript(day: Int) -> Tally? { places[day].map { days[$0].tally } }
    /// The days in the order in which they came.
    var all: [(day: Int, tally: Tally)] { days }
    /// The days in order.
    var sorted: [(day: Int, tally: Tally)] { days.sorted { $0.day < $1.day } }
}
