import JSONCodec

/// The number of moods, and the mean of those with a valence.
///
/// The mean itself is kept (B. P. Welford, "Note on a Method for Calculating Corrected Sums of Squares and Products",
/// 1962), so that the spread of many equal values is zero.
struct Tally {
    private(set) var count = 0
    private(set) var valued = 0
    private var mean = 0.0
    /// The sum of squared distances from the mean.
    private var squares = 0.0

    mutating func add(_ valence: Double?) {
        count += 1
        guard let valence else { return }
        valued += 1
        let distance = valence - mean
        mean += distance / Double(valued)
        squares += distance * (valence - mean)
    }

    /// Adds another tally. (T. F. Chan and others, "Updating Formulae and a Pairwise Algorithm for Computing Sample
    /// Variances", 1979.)
    mutating func add(_ other: Tally) {
        count += other.count
        guard other.valued > 0 else { return }
        let all = Double(valued + other.valued)
        let distance = other.mean - mean
        squares += other.squares + distance * distance * Double(valued) * Double(other.valued) / all
        mean += distance * Double(other.valued) / all
        valued += other.valued
    }

    /// The mean; nil if no mood has a valence.
    var average: Double? { valued > 0 ? mean : nil }

    /// The standard deviation of the population.
    var spread: Double? { valued > 0 ? (squares / Double(valued)).squareRoot() : nil }

    /// The mean of all other moods of `whole`, of which this tally is a part.
    func averageOfOthers(in whole: Tally) -> Double? {
        let others = whole.valued - valued
        guard others > 0 else { return nil }
        return (whole.mean * Double(whole.valued) - mean * Double(valued)) / Double(others)
    }
}

extension JSONWriter {
    /// Writes `count` and `average?` into an open object.
    mutating func members(of tally: Tally) {
        key("count")
        integer(tally.count)
        computed("average", tally.average)
    }

    /// Writes a computed number to ten decimals; later ones are noise of the arithmetic.
    mutating func computed(_ name: StaticString, _ value: Double?) {
        // Adding zero turns a negative zero into the usual one.
        member(name, value.map { ($0 * 1e10).rounded() / 1e10 + 0 })
    }

    /// Writes `{count, average?}` for each.
    mutating func tallies(_ name: StaticString, _ tallies: [Tally]) {
        key(name)
        beginArray()
        for tally in tallies {
            beginObject()
            members(of: tally)
            endObject()
        }
        endArray()
    }
}
