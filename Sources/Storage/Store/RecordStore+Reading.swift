/// Reading: from memory what was committed since the snapshot, from the snapshot the rest.
extension RecordStore {
    public var count: Int { layers.count }
    public mutating func hasAtLeast(_ number: Int) -> Bool { layers.count >= number }
    public var markedCount: Int { layers.markedCount }
    public var isInMemory: Bool { if case .memory = state { true } else { false } }
    /// Whether records can be looked for.
    @inlinable public var isOpen: Bool { if case .closed = state { false } else { true } }
    /// Why nothing can be changed, for the state alone.
    var fault: StorageError? {
        switch state {
        case .memory, .open: nil
        case .closed(let reason), .broken(let reason): reason
        }
    }

    /// What is not found in a store that is closed is not known to be missing.
    func requireOpen() throws(StorageError) {
        if case .closed(let reason) = state { throw reason }
    }

    /// A record; nil when there is none. (Mutating, as are other questions that every request asks: a borrowed value of
    /// this size is copied at each call, one that is passed in and out is not.)
    /// - Throws: `corrupt` where the snapshot cannot be read there.
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

    /// The bytes of a record alone, which is less work.
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

    /// Asks for the memory of records that will be needed soon, all at once.
    @inline(__always)
    public mutating func bringNear(count: Int, _ id: (Int) -> RecordID) { layers.table.bringNear(count: count, id) }

    public mutating func contains(_ id: RecordID) throws(StorageError) -> Bool {
        try requireOpen()
        do throws(IndexFault) { return try layers.contains(id) } catch {
            try mend(error)
        }
        do throws(IndexFault) { return try layers.contains(id) } catch { throw error.asStorageError }
    }

    /// Hides the record of an id in the snapshot, if one is visible there.
    mutating func hide(_ id: RecordID) throws(StorageError) -> LayeredRecords.Hidden? {
        do throws(IndexFault) { return try layers.hide(id) } catch {
            try mend(error)
        }
        do throws(IndexFault) { return try layers.hide(id) } catch { throw error.asStorageError }
    }

    /// Walks in an order, from a position on, until `body` answers false. The bytes are valid in `body` only.
    /// - Parameter markedOnly: whether only marked records are wanted.
    /// - Parameter condition: records that do not meet it are left out.
    /// - Parameter isCounting: whether all that meet it are counted, wherever the walk begins and ends.
    /// - Returns: how many those are; 0 where they are not counted.
    /// - Throws: `corrupt` where the snapshot cannot be read; `busy` where only the index was damaged: it has been made
    ///   anew, and the walk can be begun again.
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

    /// Makes a damaged index anew; any other fault is thrown.
    @inline(never)
    mutating func mend(_ fault: IndexFault) throws(StorageError) {
        if case .snapshot(let error) = fault {
            foundDamage = StoreDamage(error, shown: revision, durable: nil) ?? foundDamage
        }
        guard !isBaseOvertaken else {
            // A new index would be that of another snapshot, whose rows are not those that are hidden here.
            state = .broken(fault.asStorageError)
            throw fault.asStorageError
        }
        guard case .indexDamaged = fault, let index = files?.rebuiltIndex(extractor) else {
            throw fault.asStorageError
        }
        layers.replaceBase(index)
    }

    /// Puts the snapshot below what was read of the journals.
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
