import JSONCodec

/// `--scale NAME=NUMBER`: a person's measurements, as options and as text.
extension Client {
    /// The values of `--scale`, in order.
    /// - Throws: usage, for a value that is not a name and a number.
    func givenScales() throws(ClientError) -> [JSONValue.Member] {
        var scales: [JSONValue.Member] = []
        for text in invocation.values("scale") {
            // A name can have an equals sign, a number cannot.
            guard let sign = text.lastIndex(of: "="), sign > text.startIndex,
                let number = Double(text[text.index(after: sign)...]), number.isFinite
            else { throw usage("--scale wants NAME=NUMBER such as sleep=7, not '\(text)'.") }
            scales.set(.init(String(text[..<sign]), .double(number)))
        }
        return scales
    }

    /// A mood's scales with some replaced or added, and the mood's revision.
    func laid(_ scales: [JSONValue.Member], over id: String) throws(ClientError) -> (
        all: JSONValue, revision: JSONValue?
    ) {
        let mood = try tree(call("mood.get", [.init("id", .string(id))]))
        var all = mood["scales"]?.object ?? []
        for scale in scales { all.set(scale) }
        return (.object(all), mood["revision"])
    }
}

extension [JSONValue.Member] {
    /// Replaces the member of this name, or adds one at the end.
    fileprivate mutating func set(_ member: JSONValue.Member) {
        if let place = firstIndex(where: { $0.name.utf8.elementsEqual(member.name.utf8) }) {
            self[place] = member
        } else {
            append(member)
        }
    }
}
