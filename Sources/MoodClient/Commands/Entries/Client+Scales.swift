import JSONCodec

/// `--scale NAME=NUMBER`: a person's measurements, as options and as text.
extension Client {
    /// The values of `--scale`, in order.
    /// - Throws: usage, for a value that is not a name and a number.
    func givenScales() throws(ClientError) -> Params {
        var scales: Params = [:]
        for text in invocation.values("scale") {
            // A name can have an equals sign, a number cannot.
            guard let sign = text.lastIndex(of: "="), sign > text.startIndex,
                let number = Double(text[text.index(after: sign)...]), number.isFinite
            else { throw usage("--scale wants NAME=NUMBER such as sleep=7, not '\(text)'.") }
            scales[String(text[..<sign])] = .double(number)
        }
        return scales
    }

}
