import JSONCodec
import Platform

extension Command {
    static let export = Command(
        "export", "Write all moods as a file that other programs read.", Client.export,
        .word(
            "FORMAT", .optional, "jsonl (the default, lossless), csv, daylio, jrnl, ics, markdown, html, or a plugin's."
        ),
        .option("output", short: "o", .text("FILE"), "Where to (default: stdout)."),
        .option("force", "Replace a file that is there."),
        .option("history", "Of jsonl: tell also how the moods have changed."),
        .option("damaged", "Of a store that is not whole: take what is there."),
        .option("time-zone", .text("ZONE"), "Of local times, where a mood has no zone of its own."),
        .options(CommandOption.filters),
        .example("mood export csv -o moods.csv", "A table of all moods."),
        .example("mood export ics -o moods.ics --favorite", "The favorites, for a calendar."),
        .example("mood export | jq -r .label", "Every label."))
}

extension Client {
    func export() throws(ClientError) {
        let format = invocation.words.first ?? "jsonl"
        guard let output = invocation.value("output"), output != "-" else {
            return try pages(of: format, exportMembers()) { (text) throws(ClientError) in
                if text.isEmpty { tellOfMissingStore() }
                guard console.isOutputTerminal else { return try write(text) }
                try print(Escaping.visibleLines(String(decoding: text, as: UTF8.self)))
            }
        }
        let file = try OutputFile(absolute(output), replaces: invocation.has("force"))
        var moods = 0
        try pages(of: format, exportMembers()) { (text) throws(ClientError) in
            moods += Self.moods(in: text)
            try file.write(text)
        }
        let size = Self.size(try file.finish())
        let number = format == "jsonl" && !invocation.has("history") ? Self.count(moods) + ", " : ""
        tell("Wrote \(Escaping.visible(output)): \(number)\(size)")
    }

    private func exportMembers() throws(ClientError) -> Params {
        [
            "filter": try filter().unlessEmpty, "history": invocation.flag("history"),
            "damaged": invocation.flag("damaged"), "timeZone": invocation.value("time-zone"),
        ]
    }

    /// Passes on the parts of an export, one after the other. The host makes the next part meanwhile.
    func pages(
        of format: String, _ members: Params, _ body: ([UInt8]) throws(ClientError) -> Void
    ) throws(ClientError) {
        func ask(_ members: Params) throws(ClientError) -> () throws(ClientError) -> [UInt8] {
            let params = ["format": format] + members
            return try self.ask("store.export", bytes: Array(params.json.text.utf8))
        }
        var waiting = try ask(members)
        var cursor: String?
        while true {
            guard let page = ExportPage(try waiting()) else { throw unexpected() }
            guard let next = page.nextCursor else { return try body(page.text) }
            guard next != cursor else { throw unexpected() }
            cursor = next
            waiting = try ask(["cursor": next])
            try body(page.text)
        }
    }

    /// The number of moods in a part of JSON Lines, whose first line may be the settings.
    private static func moods(in text: [UInt8]) -> Int {
        lines(in: text) - (text.starts(with: "{\"settings\":".utf8) ? 1 : 0)
    }

    static func lines(in text: [UInt8]) -> Int {
        text.withUnsafeBytes { bytes in
            var count = 0
            for byte in bytes where byte == UInt8(ascii: "\n") { count += 1 }
            return count
        }
    }
}

/// A part of an export, as bytes: a file may have hundreds of megabytes.
private struct ExportPage {
    let text: [UInt8]
    let nextCursor: String?

    /// - Parameter result: valid JSON.
    init?(_ result: [UInt8]) {
        var text: [UInt8]?
        var nextCursor: String?
        result.withUnsafeBytes { bytes in
            var reader = JSONReader(ValidJSON(trusting: bytes))
            guard reader.enterObject() else { return }
            while let key = reader.nextKey() {
                if key.equals("text") {
                    text = reader.text()?.withDecoded { Array($0) }
                } else if key.equals("nextCursor") {
                    nextCursor = reader.text()?.string
                } else {
                    reader.skip()
                }
            }
        }
        guard let text else { return nil }
        self.text = text
        self.nextCursor = nextCursor
    }
}
