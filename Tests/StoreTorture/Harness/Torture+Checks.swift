import Platform
import SimulatedDisk
import Storage

/// The checks of the promises.
extension Torture {
    /// Whether the present process may fail.
    var isExcused: Bool { process.failures > 0 || !process.isAlive || hasLittleSpace }

    mutating func checkOpened(_ store: inout RecordStore) throws(TortureFailure) {
        let revision = store.revision
        if let refusal = store.refusal {
            guard isExcused else { throw failure(.refused, "a store without a fault is only read: \(refusal)") }
            refusedByFault()
            guard let known = model.known(revision: revision) else {
                throw failure(.wrongRead, "revision \(revision) is shown, which never was: \(refusal)")
            }
            return try checkReads(&store, known)
        }
        guard let state = model.allowed(revision: revision) else {
            let floor = model.floor.revision
            throw failure(
                revision < floor ? .lost : .wrongRead,
                "revision \(revision) is there; \(floor) was acknowledged, and \(model.possible.map(\.revision)) may be"
            )
        }
        try checkReads(&store, state)
        model.acknowledge(state, after: model.possible)
        hasStore = true
    }

    /// Checks that the store shows exactly `state`. After a failed call a read may be refused, but never wrong.
    mutating func checkReads(_ store: inout RecordStore, _ state: TortureModel.Snapshot) throws(TortureFailure) {
        do throws(ReadProblem) {
            do throws(ReadProblem) {
                try compare(&store, state)
            } catch {
                // A power cut may have torn the index, which is a cache: the store rebuilt it, so one retry must do.
                guard case .refused(.busy) = error else { throw error }
                try compare(&store, state)
            }
        } catch {
            switch error {
            case .refused(let reason):
                guard isExcused else { throw failure(.refused, "a read without a fault is refused: \(reason)") }
            case .wrong(let reason): throw failure(.wrongRead, reason)
            }
        }
    }

    private enum ReadProblem: Error {
        case refused(StorageError)
        case wrong(String)
    }

    private mutating func compare(_ store: inout RecordStore, _ state: TortureModel.Snapshot) throws(ReadProblem) {
        guard store.revision == state.revision else {
            throw .wrong("the revision is \(store.revision) and not \(state.revision)")
        }
        guard store.count == state.count else {
            throw .wrong("there are \(store.count) records and not \(state.count)")
        }
        let marked = state.versions.reduce(0) { $0 + ($1 != 0 && $1 % 3 == 0 ? 1 : 0) }
        guard store.markedCount == marked else {
            throw .wrong("\(store.markedCount) records are marked and not \(marked)")
        }
        try compareWalk(&store, state)
        for slot in 0..<slots {
            let record: StoredRecord?
            do throws(StorageError) { record = try store.record(TortureRecord.id(slot)) } catch {
                throw .refused(error)
            }
            let isRight = record.map { isVersion($0, state.versions[slot]) } ?? (state.versions[slot] == 0)
            guard isRight else { throw .wrong("record \(slot) is not version \(state.versions[slot])") }
        }
    }

    private mutating func compareWalk(
        _ store: inout RecordStore, _ state: TortureModel.Snapshot
    ) throws(ReadProblem) {
        let order = random.pick([RecordOrder.time, .time, .updated, .text])
        let isDescending = random.isOne(in: 2)
        var seen = 0
        var problem: String?
        var last: RecordHead?
        do throws(StorageError) {
            try store.walk(order, isDescending: isDescending, after: nil) { record in
                seen += 1
                guard let slot = TortureRecord.slot(of: record.head.id), slot < slots,
                    isVersion(record, state.versions[slot])
                else {
                    problem = "a record is shown that is not there"
                    return false
                }
                if let last {
                    let (first, second) = isDescending ? (record.head, last) : (last, record.head)
                    guard precedes(first, second, order) else {
                        problem = "records are out of order"
                        return false
                    }
                }
                last = record.head
                return true
            }
        } catch {
            throw .refused(error)
        }
        if let problem { throw .wrong(problem) }
        guard seen == state.count else { throw .wrong("\(seen) of \(state.count) records are walked") }
    }

    private func isVersion(_ record: StoredRecord, _ version: Int) -> Bool {
        guard version != 0, Int(record.head.updated) == version else { return false }
        return written[version].withUnsafeBytes { bytes in
            guard bytes.count == record.bytes.count, let a = bytes.baseAddress, let b = record.bytes.baseAddress
            else { return false }
            return memcmp(a, b, bytes.count) == 0
        }
    }

    private func precedes(_ a: RecordHead, _ b: RecordHead, _ order: RecordOrder) -> Bool {
        switch order {
        case .time: (a.time, a.id) < (b.time, b.id)
        case .updated: (a.updated, a.id) < (b.updated, b.id)
        case .text: a.textPrefix <= b.textPrefix
        }
    }
}
