import JSONCodec

/// The conformance suite for transports.
extension TransportDoctor {
    /// Runs all trials.
    func examine() throws(ClientError) {
        var isReached = false
        try attempt("opening a journal that is not there") { hosts in
            let journals = hosts[0].open(nil)
            isReached = hosts[0].isUsable && findings.all.isEmpty
            expect(!journals.contains(journal), "A journal is there before its first record.")
        }
        guard isReached else { return }
        try logs()
        try parts()
        try pages()
        try rivals()
        try snapshots()
        try drops()
        try restarts()
        try absence()
    }

    private func records(_ numbers: ClosedRange<Int>, _ text: String = "") -> [TransportRecord] {
        numbers.map { TransportRecord($0, #"{"n":\#($0),"é🌊":"\#(text)\\ \" \#u{2028}"}"#) }
    }

    private func logs() throws(ClientError) {
        try attempt("records of two replicas, sent twice, with a gap, and read from anywhere", hosts: 2) { hosts in
            let (a, b) = (Self.newID(), Self.newID())
            let all = records(1...5)
            expect(hosts[0].push(a, []) == 0, "Before there are records, `last` is 0.")
            expect(hosts[0].push(a, Array(all[..<3])) == 3, "After records 1 to 3, `last` is 3.")
            expect(hosts[0].push(a, Array(all[..<3])) == 3, "What is sent again is there once.")
            expect(hosts[0].push(a, Array(all[4...])) == 3, "Record 5 after record 3 is a gap: `last` stays 3.")
            expect(hosts[0].push(a, Array(all[1...])) == 5, "What overlaps adds what is new.")
            expect(hosts[1].push(b, records(1...1, "b")) == 1, "Replicas write side by side.")
            expect(hosts[0].push(a, []) == 5, "Without records, `last` is told.")
            for have in [0, 2, 5] {
                let pulled = hosts[1].whenCaughtUp({ $0.last[a] == 5 }) { hosts[1].pull([a: have, b: 1]) }
                expect(
                    pulled.records[a] ?? [] == Array(all[have...]),
                    "After record \(have) not the records that were sent.")
                expect(pulled.records[b] == nil, "A record comes that is known.")
                expect(pulled.last[a] == 5 && pulled.last[b] == 1, "`last` has the last record of each replica.")
            }
            let others = hosts[0].whenCaughtUp({ $0.last[b] == 1 }) { hosts[0].pull([:]) }
            expect(others.records[b] == records(1...1, "b"), "Others' records come byte by byte.")
            expect(hosts[0].open(nil).contains(journal), "A journal with records is among `journals`.")
            hosts[0].open(Self.newID())
            expect(hosts[0].pull([:]).records.isEmpty, "A record of another journal comes.")
        }
    }

    private func parts() throws(ClientError) {
        try attempt("a record in parts, cut off, and restarted", hosts: 2) { hosts in
            let a = Self.newID()
            let text = String(repeating: "🌊\"\\", count: 60_000)
            let whole = (0..<3).map { (part: Int) in TransportRecord(2, text + "\(part)", part: part, of: 3) }
            expect(hosts[0].push(a, records(1...1) + [whole[0]]) == 1, "A record counts once its last part is there.")
            expect(hosts[0].push(a, [whole[0], whole[1]]) == 1, "A record counts once its last part is there.")
            expect(hosts[0].push(a, whole + records(3...3)) == 3, "After the last part the log goes on.")
            // Parts may repeat if a sender started again. After a part 0 they are in order.
            var (found, parts) = ([TransportRecord](), 0)
            for _ in 0..<20 {
                let pulled = hosts[1].whenCaughtUp({ $0.last[a] == 3 }) {
                    hosts[1].pull([a: 1], parts: parts > 0 ? [a: parts] : [:])
                }
                for record in pulled.records[a] ?? [] {
                    if record.number == 2, record.part == 0 { found.removeAll() }
                    if record.number != 2 || record.part == found.count { found.append(record) }
                }
                parts = found.filter { $0.number == 2 }.count
                if !pulled.more { break }
            }
            expect(found == whole + records(3...3), "Parts do not come as they were sent, in order.")
        }
    }

    private func pages() throws(ClientError) {
        try attempt("more records than an answer holds", hosts: 2) { hosts in
            let a = Self.newID()
            let text = String(repeating: "x", count: 100_000)
            let all = (1...60).map { TransportRecord($0, "\($0)" + text) }
            for start in stride(from: 0, to: 60, by: 15) {
                expect(hosts[0].push(a, Array(all[start..<(start + 15)])) == start + 15, "Not all records are taken.")
            }
            var found: [TransportRecord] = []
            for _ in 0..<70 {
                let pulled = hosts[1].whenCaughtUp({ $0.last[a] == 60 }) { hosts[1].pull([a: found.count]) }
                found += pulled.records[a] ?? []
                guard pulled.more, !(pulled.records[a] ?? []).isEmpty else { break }
            }
            expect(found == all, "Page by page come \(found.count) of 60 records, or others.")
        }
    }

    private func rivals() throws(ClientError) {
        try attempt("two that write as the same replica", hosts: 3) { hosts in
            let a = Self.newID()
            for number in 1...6 {
                for (place, host) in hosts[..<2].enumerated() {
                    let last = host.push(a, [TransportRecord(number, "\(number) by \(place)")])
                    expect(last == number, "What another one has written meanwhile counts in `last`.")
                }
            }
            let found = hosts[2].whenCaughtUp({ $0.last[a] == 6 }) { hosts[2].pull([:]) }.records[a] ?? []
            expect(found.map(\.number) == Array(1...6), "Of two records with the same number, the first one stays.")
            expect(found.allSatisfy { $0.text.hasSuffix("by 0") }, "What was there is written over.")
        }
    }

    private func snapshots() throws(ClientError) {
        try attempt("snapshots in parts", hosts: 2) { hosts in
            let a = Self.newID()
            let text = String(repeating: "é\"\n", count: 100_000)
            _ = hosts[0].push(a, records(1...3))
            expect(hosts[0].snapshots().isEmpty, "A snapshot is listed that no host has put.")
            hosts[0].put("\(a)-2", 0, text + "0")
            expect(hosts[1].snapshots().isEmpty, "A snapshot is listed before its last part is there.")
            hosts[0].put("\(a)-2", 1, text + "1", vector: .object([.init(a, 2)]))
            let listed = hosts[1].whenCaughtUp({ !$0.isEmpty }) { hosts[1].snapshots() }
            expect(
                listed.count == 1 && listed[0].id == "\(a)-2" && listed[0].parts == 2
                    && listed[0].vector.isEqual(to: .object([.init(a, 2)])),
                "With its last part a snapshot is listed, with its vector and the number of its parts.")
            for part in 0..<2 {
                let same = hosts[1].text("\(a)-2", part).map { $0.utf8.elementsEqual((text + "\(part)").utf8) } ?? false
                expect(same, "A part is not as it was put.")
            }
            hosts[0].put("\(a)-3", 0, "newer", vector: .object([.init(a, 3)]))
            let newer = hosts[1].whenCaughtUp({ $0.contains { $0.id == "\(a)-3" } }) { hosts[1].snapshots() }
            expect(newer.contains { $0.id == "\(a)-3" }, "A newer snapshot is not listed.")
            expect(hosts[1].text("\(a)-3", 0) == "newer", "The newer snapshot has another text.")
            hosts[0].drop(a, upTo: 3, ids: ["\(a)-2"])
            let left = hosts[1].whenCaughtUp({ $0.count == 1 }) { hosts[1].snapshots() }
            expect(
                left.map(\.id) == ["\(a)-3"], "A snapshot that was dropped is listed, or another one is not.")
            let gone = hosts[1].answer("transport.getPart", ["id": "\(a)-2", "part": 0])
            expect(gone?["error"]?["code"]?.integer == 1001, "A part that is not there is the error 1001.")
        }
    }

    private func drops() throws(ClientError) {
        try attempt("records that a snapshot covers are dropped", hosts: 2) { hosts in
            let a = Self.newID()
            _ = hosts[0].push(a, records(1...4))
            hosts[0].put("\(a)-4", 0, "all", vector: .object([.init(a, 4)]))
            hosts[0].drop(a, upTo: 4)
            expect(hosts[0].push(a, records(4...6)) == 6, "After `drop` the log goes on with the next number.")
            let pulled = hosts[1].whenCaughtUp({ $0.last[a] == 6 }) { hosts[1].pull([a: 4]) }
            expect(pulled.records[a] == records(5...6), "What comes after `upTo` is still there.")
            expect(pulled.last[a] == 6, "`last` does not go back.")
            let fromBegin = hosts[1].pull([:]).records[a] ?? []
            expect(
                fromBegin.isEmpty || fromBegin == records(1...6), "Where there is a gap, none of that replica comes.")
        }
    }

    private func restarts() throws(ClientError) {
        try attempt("a plugin that is killed and started anew") { hosts in
            let a = Self.newID()
            _ = hosts[0].push(a, records(1...2))
            hosts[0].kill()
            guard let again = try? start(), again.isUsable else { return }
            defer { again.kill() }
            again.open(journal)
            expect(again.push(a, []) == 2, "Who is started anew does not know the last record.")
            expect(again.push(a, records(2...3)) == 3, "Who is started anew does not go on after the last record.")
            expect(again.pull([a: 1]).records[a] == records(2...3), "Who is started anew has other records.")
        }
        try attempt("it reports what other hosts write", hosts: 2) { hosts in
            let a = Self.newID()
            _ = hosts[1].pull([:])
            let before = hosts[1].changes
            _ = hosts[0].push(a, records(1...1))
            hosts[1].wait(3000) { hosts[1].changes > before }
            let pulled = hosts[1].whenCaughtUp({ $0.last[a] == 1 }) { hosts[1].pull([:]) }
            expect(pulled.records[a] == records(1...1), "What was pushed is not pulled.")
        }
    }

    /// Expects an error in time if the engine is unreachable, and a living plugin.
    private func absence() throws(ClientError) {
        let scheme = url.prefix { $0 != ":" }
        try attempt("an engine that is not there") { hosts in
            let answer = hosts[0].answer("transport.open", ["url": "\(scheme)://127.0.0.1:1", "config": config])
            expect(
                answer?["error"]?["code"]?.integer != nil,
                "transport.open of an engine that is not there has to be an error.")
            expect(answer?["error"]?["code"]?.integer != -32601, "transport.open is there.")
            hosts[0].open(journal)
        }
    }
}
