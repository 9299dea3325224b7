/// One commit in a journal: `{"seq":N,"at":"…","durable":D,…,"crc":"xxxxxxxx"}`; `StoreFiles+Staging` has the form.
struct JournalLine {
    let seq: Int
    /// The last commit that was synced when the line was written.
    let durable: Int
    /// The members behind these, up to the comma before the seal.
    private let changes: UnsafeRawBufferPointer

    /// `content` is the line before its seal, which was found to be right. Nil where it is not of the form.
    init?(content: UnsafeRawBufferPointer) {
        var matcher = ByteMatcher(content)
        guard matcher.take("{\"seq\":"), let seq = matcher.takeInteger(), matcher.take(",\"at\":\""),
            matcher.takeText(count: 24) != nil, matcher.take("\",\"durable\":"),
            let durable = matcher.takeInteger(), durable < seq
        else { return nil }
        self.seq = seq
        self.durable = durable
        changes = UnsafeRawBufferPointer(rebasing: content[matcher.position...])
    }

    /// Hands on what the commit changed, in order. False where the rest is not of the form.
    func forEachChange<Failure: Error>(_ body: (LoadEvent) throws(Failure) -> Void) throws(Failure) -> Bool {
        var matcher = ByteMatcher(changes)
        if matcher.take(",\"clear\":true") { try body(.clear) }
        if matcher.take(",\"put\":[") {
            repeat {
                guard let record = matcher.takeObject() else { return false }
                try body(.put(record))
            } while matcher.take(",")
            guard matcher.take("]") else { return false }
        }
        if matcher.take(",\"delete\":[") {
            repeat {
                guard matcher.take("\""), let id = matcher.takeText(count: 36), matcher.take("\"") else { return false }
                try body(.delete(id: id))
            } while matcher.take(",")
            guard matcher.take("]") else { return false }
        }
        return matcher.take(",") && matcher.isAtEnd
    }
}
