import JSONCodec

/// Statistics of scales, by name.
struct ScaleCounts {
    private struct Scale {
        let name: [UInt8]
        var tally = Tally()
        var least = Double.infinity
        var greatest = -Double.infinity
    }

    private var scales: [Scale] = []
    private var numbers: [[UInt8]: Int] = [:]
    private var lists = ListsByNumber<(scale: Int, value: Double)>()

    mutating func add(_ mood: MoodTraits, _ texts: MoodTraits.Texts) {
        guard mood.scales > 0 else { return }
        var (scales, numbers) = ([Scale](), [[UInt8]: Int]())
        swap(&scales, &self.scales)
        swap(&numbers, &self.numbers)
        lists.forEach(mood.scales, { Self.read(texts(mood.scales), &scales, &numbers) }) { (number, value) in
            scales[number].tally.add(value)
            scales[number].least = min(scales[number].least, value)
            scales[number].greatest = max(scales[number].greatest, value)
        }
        swap(&scales, &self.scales)
        swap(&numbers, &self.numbers)
    }

    private static func read(
        _ text: UnsafeRawBufferPointer, _ scales: inout [Scale], _ numbers: inout [[UInt8]: Int]
    ) -> [(scale: Int, value: Double)] {
        var list: [(scale: Int, value: Double)] = []
        var reader = JSONReader(ValidJSON(trusting: text))
        guard reader.enterObject() else { return [] }
        while let name = reader.nextKey() {
            let key = name.withDecoded { Array(TextRule.trimmed($0)) }
            guard let value = reader.number()?.double else {
                reader.skip()
                continue
            }
            let number = numbers[key] ?? scales.count
            if number == scales.count {
                scales.append(Scale(name: key))
                numbers[key] = number
            }
            list.append((number, value))
        }
        return list
    }

    /// Writes `scales`, by count, then name.
    func write(to writer: inout JSONWriter) {
        writer.beginArray("scales")
        let sorted = scales.sorted { a, b in
            a.tally.count != b.tally.count
                ? a.tally.count > b.tally.count : a.name.lexicographicallyPrecedes(b.name)
        }
        for scale in sorted {
            writer.beginObject()
            writer.member("name", String(decoding: scale.name, as: UTF8.self))
            writer.members(of: scale.tally)
            writer.member("least", scale.least)
            writer.member("greatest", scale.greatest)
            writer.endObject()
        }
        writer.endArray()
    }
}
