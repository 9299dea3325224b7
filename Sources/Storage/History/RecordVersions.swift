/// Records with numbers, in the order in which they were added: an undo may be of a million.
struct NumberedRecords: ~Copyable {
    private(set) var ids: [RecordID] = []
    private var index = RecordIndex()

    func number(of id: RecordID) -> Int? { index.find(id) { ids[Int($0)] == id }.map { Int($0) } }

    /// The number of a record, which it gets now if it has none.
    mutating func add(_ id: RecordID) -> Int {
        if let number = number(of: id) { return number }
        index.insert(id, Int32(truncatingIfNeeded: ids.count))
        ids.append(id)
        return ids.count - 1
    }
}

extension [RecordID] {
    /// The place of an id in an array in order.
    func place(of id: RecordID) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == id ? low : nil
    }
}

/// The changes of one commit, each record once.
struct TouchedRecords {
    private(set) var numbers: [Int32] = []
    private var kinds: [UndoneCommit.Kind] = []
    /// The place of each record in these, counted from 1; 0 for none.
    private var places: [Int32] = []

    /// Adds those of a commit, or of a piece of it.
    mutating func add(_ commit: Commit, _ records: inout NumberedRecords) {
        for change in commit.changes { add(change.kind, records.add(change.id)) }
    }

    private mutating func add(_ kind: UndoneCommit.Kind, _ number: Int) {
        if number >= places.count { places += repeatElement(0, count: number + 1 - places.count) }
        if places[number] > 0 {
            kinds[Int(places[number]) - 1] = kind
        } else {
            numbers.append(Int32(truncatingIfNeeded: number))
            kinds.append(kind)
            places[number] = Int32(truncatingIfNeeded: numbers.count)
        }
    }

    /// Frees what only further changes need.
    mutating func forgetPlaces() { places = [] }

    /// Adds records that were removed with all others.
    mutating func addCleared(_ ids: [RecordID], _ records: inout NumberedRecords) {
        var known = Set(numbers)
        for id in ids {
            let number = Int32(truncatingIfNeeded: records.add(id))
            guard known.insert(number).inserted else { continue }
            numbers.append(number)
            kinds.append(.deleted)
        }
    }

    var kind: UndoneCommit.Kind {
        guard let first = kinds.first, kinds.allSatisfy({ $0 == first }) else { return .updated }
        return first
    }
}

/// By revision: the commits that it took back, or made again.
typealias ReversalsByCommit = [Int: (revisions: [Int], isRedo: Bool)]

/// The versions of some records, while commits are followed from one on. 0 is the value before that; a negative version
/// is one that an undo or redo of something older has restored.
struct RecordVersions: ~Copyable {
    private let numbered: NumberedRecords
    /// Those that were there before the first commit; nil if unknown.
    private let there: [Bool]?
    private let reversals: ReversalsByCommit
    /// Versions of which is kept only that they were there.
    private let unwanted: Set<Int>
    /// The commit of which all or a piece was followed last.
    private var last = 0
    /// The version of each record.
    private var present: [Int]
    /// The versions that each commit replaced.
    private var before: [Int: Replaced] = [:]
    private var records: [Place: [UInt8]] = [:]
    /// Versions whose records are read again from the files of their commits, and the records that those removed.
    private var inFiles: Set<Int> = []
    private var removed: Set<Place> = []

    private struct Replaced {
        var numbers: [Int32] = []
        var versions: [Int] = []

        mutating func append(_ number: Int, _ version: Int) {
            numbers.append(Int32(truncatingIfNeeded: number))
            versions.append(version)
        }
    }

    private struct Place: Hashable {
        let number: Int
        let version: Int
    }

    init(
        of records: consuming NumberedRecords, there: [Bool]?, _ reversals: ReversalsByCommit,
        without unwanted: Set<Int>
    ) {
        present = [Int](repeating: 0, count: records.ids.count)
        numbered = records
        (self.there, self.reversals, self.unwanted) = (there, reversals, unwanted)
    }

    var ids: [RecordID] { numbered.ids }

    enum Value {
        /// That before the first commit.
        case unknown
        case none
        /// The bytes; none if they are not needed.
        case record([UInt8])
        /// In the file of this commit.
        case inFile(Int)
    }

    func value(_ number: Int) -> Value {
        let version = present[number]
        if version == 0 { return .unknown }
        let place = Place(number: number, version: version)
        if inFiles.contains(version) { return removed.contains(place) ? .none : .inFile(abs(version)) }
        return records[place].map { .record($0) } ?? .none
    }

    private func mayBeThere(_ number: Int) -> Bool {
        switch value(number) {
        case .unknown: there?[number] ?? true
        case .none: false
        case .record, .inFile: true
        }
    }

    /// Follows a commit, or the next piece of it.
    mutating func follow(_ commit: Commit) {
        guard let reversal = reversals[commit.seq] else { return change(commit, to: commit.seq) }
        guard reversal.revisions.allSatisfy({ before[$0] != nil }) else { return change(commit, to: -commit.seq) }
        if last == commit.seq { return }
        last = commit.seq
        for revision in reversal.revisions {
            guard let replaced = before[revision] else { continue }
            for (number, version) in zip(replaced.numbers, replaced.versions) {
                present[Int(number)] = reversal.isRedo ? revision : version
            }
        }
    }

    private mutating func change(_ commit: Commit, to version: Int) {
        // Taken out, so that it is not copied; there is one where this is not the first piece.
        var replaced = before.removeValue(forKey: version) ?? Replaced()
        if commit.isClear {
            for number in present.indices where mayBeThere(number) {
                replaced.append(number, present[number])
                present[number] = version
                if commit.isInFile { removed.insert(Place(number: number, version: version)) }
            }
        }
        if commit.isInFile { inFiles.insert(version) }
        for change in commit.changes {
            guard let number = numbered.number(of: change.id) else { continue }
            if present[number] != version {
                replaced.append(number, present[number])
                present[number] = version
            }
            let place = Place(number: number, version: version)
            if commit.isInFile {
                if change.record == nil { removed.insert(place) } else if !removed.isEmpty { removed.remove(place) }
            } else {
                records[place] = change.record.map { unwanted.contains(version) ? [] : Array($0) }
            }
        }
        before[version] = replaced
    }

    /// Undoes or redoes a commit for the records that it touched.
    /// - Returns: one that has another version than that requires.
    mutating func reverse(_ revision: Int, _ touched: [Int32], isRedo: Bool) -> RecordID? {
        guard let replaced = before[revision] else { return touched.first.map { ids[Int($0)] } }
        var isMeant = [Bool](repeating: false, count: present.count)
        for number in touched { isMeant[Int(number)] = true }
        for (number, earlier) in zip(replaced.numbers, replaced.versions) where isMeant[Int(number)] {
            guard present[Int(number)] == (isRedo ? earlier : revision) else { return ids[Int(number)] }
            present[Int(number)] = isRedo ? revision : earlier
            isMeant[Int(number)] = false
        }
        return touched.first { isMeant[Int($0)] }.map { ids[Int($0)] }
    }
}
