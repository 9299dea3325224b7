import JSONCodec

/// What moods measure besides the valence, by name.
struct ScaleCounts {
    private struct Scale {
        var tally = Tally()
        var least = Double.infinity
        var greatest = -Double.infinity
    }

    private var scales: [[UInt8]: Scale] = [:]

    mutating func add(_ given: ValidJSON) {
        var reader = JSONReader(given)
        guard reader.enterObject() else { return }
        while let name = reader.nextKey() {
            let key = name.withDecoded { Array(TextRule.trimmed($0)) }
            guard let value = reader.number()?.double else { continue }
            var scale = scales[key] ?? Scale()
            scale.tally.add(value)
            scale.least = min(scale.least, value)
            scale.greatest = max(scale.greatest, value)
            scales[key] = scale
        }
    }

    /// Writes `scales`, by count, then name.
    func write(to writer: inout JSONWriter) {
        writer.key("scales")
        writer.beginArray()
        let sorted = scales.sorted { a, b in
            a.value.tally.count != b.value.tally.count
                ? a.value.tally.count > b.value.tally.count : a.key.lexicographicallyPrecedes(b.key)
        }
        for (name, scale) in sorted {
            writer.beginObject()
            writer.member("name", String(decoding: name, as: UTF8.self))
            writer.members(of: scale.tally)
            writer.member("least", scale.least)
            writer.member("greatest", scale.greatest)
            writer.endObject()
        }
        writer.endArray()
    }
}
