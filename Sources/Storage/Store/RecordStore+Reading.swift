/// Reading: commits since the snapshot from memory, the rest from the snapshot.
extension RecordStore {
    public var count: Int { layers.count }
    /// The number of records, where each since the snapshot, or in memory, counts as so many more.
    public mutating func cost(ofEachInMemory cost: Int) -> Int { layers.count + cost * layers.table.count }
    /// Whether a walk in an order has to sort those first.
    public mutating func hasToSort(_ order: RecordOrder) -> Bool { layers.table.hasToSort(order) }
    /// The revision of the commit that is open or comes next.
    public var nextRevision: Int { revision + (isCommitOpen ? 0 : 1) }
    public mutating func hasAtLeast(_ number: Int) -> Bool { layers.count >= number }
    public var markedCount: Int { layers.markedCount }
    @inlinable @inline(__always) public var isInMemory: Bool { if case .memory = state { true } else { false } }
    /// Whether there are no files yet.
    @inlinable @inline(__always) public var isUnborn: Bool { if case .unborn = state { true } else { false } }
    /// Whether records can be found.
    @inlinable public var isOpen: Bool { if case .closed = state { false } else { true } }
    /// The error for every change, as far as the state alone decides.
    var fault: StorageError? {
        switch state {
        case .memory, .unborn, .open: nil
        case .closed(let reason), .broken(let reason): reason
        }
    }

    /// A closed store cannot tell whether a record is missing.
    func requireOpen() throws(StorageError) {
        if case .closed(let reason) = state { throw reason }
    }

    /// A record; nil if there is none. (Mutating, like other questions that every request asks: a borrowed value of
    /// this size is copied at each call, an inout one is not.)
    /// - Throws: `corrupt` if the snapshot cannot be read there.
    @inline(__always)
    public mutating func record(_ id: RecordID) throws(StorageError) -> StoredRecord? {
        do throws(IndexFault) {
            if let record = try layers.find(id) { return record }
        } catch {
            try mend(error)
            do throws(IndexFault) { return try layers.find(id) } catch { throw error.asStorageError }
        }
        try requireOpen()
        return nil
    }

    /// The bytes of a record alone, which takes less time.
    @inline(__always)
    public mutating func bytes(_ id: RecordID) throws(StorageError) -> UnsafeRawBufferPointer? {
        do throws(IndexFault) {
            if let bytes = try layers.bytes(id) { return bytes }
        } catch {
            try mend(error)
            do throws(IndexFault) { return try layers.bytes(id) } catch { throw error.asStorageError }
        }
        try requireOpen()
        return nil
    }

    /// Prefetches the memory of records that will be needed soon.
    @inline(__always)
    public mutating func bringNear(count: Int, _ id: (Int) -> RecordID) { layers.table.bringNear(count: count, id) }

    public mutating func contains(_ id: RecordID) throws(StorageError) -> Bool {
        try requireOpen()
        do throws(IndexFault) { return try layers.contains(id) } catch {
            try mend(error)
        }
        do throws(IndexFault) { return try layers.contains(id) } catch { throw error.asStorageError }
    }

    /// Hides the record of an id in the snapshot, if it is visible there.
    mutating func hide(_ id: RecordID) throws(StorageError) -> LayeredRecords.Hidden? {
        do throws(IndexFault) { return try layers.hide(id) } catch {
            try mend(error)
        }
        do throws(IndexFault) { return try layers.hide(id) } catch { throw error.asStorageError }
    }

    /// Walks in an order, from a position on, until `body` returns false. The bytes are valid in `body` only.
    /// - Parameter markedOnly: whether to pass only marked records.
    /// - Parameter condition: the condition that each record must meet.
    /// - Parameter isCounting: whether to count all records that meet it, wherever the walk begins and ends.
    /// - Returns: that count; 0 if `isCounting` is false.
    /// - Throws: `corrupt` if the snapshot cannot be read; `busy` if only the index was damaged: it has been rebuilt,
    ///   and the caller can begin the walk again.
    @discardableResult
    public mutating func walk(
        _ order: RecordOrder, isDescending: Bool, after position: RecordPosition?, markedOnly: Bool = false,
        matching condition: (any RecordCondition)? = nil, isCounting: Bool = false, _ body: (StoredRecord) -> Bool
    ) throws(StorageError) -> Int {
        try requireOpen()
        do throws(IndexFault) {
            return try layers.walk(
                order, isDescending: isDescending, after: position, markedOnly: markedOnly, matching: condition,
                isCounting: isCounting, body)
        } catch {
            try mend(error)
            throw .busy(reason: "The index of the store was damaged and has been made again. Try again.")
        }
    }

    /// The ids of all records, in no order.
    public mutating func forEachID(_ body: (RecordID) -> Void) throws(StorageError) {
        try requireOpen()
        do throws(IndexFault) {
            try layers.forEachID(body)
        } catch {
            try mend(error)
            throw .busy(reason: "The index of the store was damaged and has been made again. Try again.")
        }
    }

    /// Rebuilds a damaged index; throws any other fault.
    @inline(never)
    mutating func mend(_ fault: IndexFault) throws(StorageError) {
        if case .snapshot(let error) = fault {
            foundDamage = StoreDamage(error, shown: revision, durable: nil) ?? foundDamage
        }
        guard !isBaseOvertaken else {
            // A new index would describe another snapshot; its rows are not the ones hidden here.
            state = .broken(fault.asStorageError)
            throw fault.asStorageError
        }
        guard case .indexDamaged = fault, let index = files?.rebuiltIndex(extractor) else {
            throw fault.asStorageError
        }
        layers.replaceBase(index)
    }

    /// Puts the snapshot below the records read from the journals.
    mutating func takeBase() throws(StorageError) {
        if let index = files?.takeIndex() {
            layers.setBase(index)
            isBaseOvertaken = false
        }
        do throws(IndexFault) {
            try layers.settle()
        } catch {
            try mend(error)
            do throws(IndexFault) { try layers.settle() } catch { throw error.asStorageError }
        }
    }
}

extension IndexFault {
    var asStorageError: StorageError {
        switch self {
        case .snapshot(let error): error
        case .indexDamaged(let reason):
            .unavailable(
                reason: reason, advice: "Remove the files index-… from the store's directory; they are made again.")
        }
    }
}
