import Platform

/// Setting aside all files of the store, so that a new one can begin.
///
/// In this order, under the lock, each step synced before the next:
/// 1. make a directory `set-aside-TIME-unfinished`, or take up the one of an earlier attempt
/// 2. move `moods.json` into it
/// 3. move everything else of the store into it
/// 4. give it its name `set-aside-TIME`
///
/// From 2 to 4 there is no snapshot but an unfinished directory, and opening fails with the advice to finish the reset:
/// a killed reset is never taken for a new store. Before 2 the store is unchanged; after 4 there is none, and the next
/// opening for a change makes one. A reset deletes nothing. `lock` stays, because its file carries the lock;
/// so do plugins, directories of earlier resets, and files that do not belong to the store.
extension StoreFiles {
    /// Moves the files of the store aside.
    ///
    /// The store may be impossible to open, and must not be open in this process.
    ///
    /// - Returns: the path of the directory where they are now; nil if there were none.
    /// - Throws: `storage`: before step 2 the store is unchanged; after it, `outcomeUnknown`, and the same call
    ///   continues.
    public static func reset(_ settings: StoreSettings) throws(RepairError) -> String? {
        let found = try RepairError.storage { () throws(StorageError) in try StoreDirectory.openIfThere(settings) }
        guard let place = found else { return nil }
        let lock = try RepairLock(place, settings)
        return try reset(place, lock, settings)
    }

    private static func reset(
        _ place: borrowing StoreDirectory, _ lock: borrowing RepairLock, _ settings: StoreSettings
    ) throws(RepairError) -> String? {
        var hasBegun = false
        do throws(SystemError) {
            let inventory = try place.inventory()
            var unfinished = inventory.unfinishedResets.first
            hasBegun = unfinished != nil && !inventory.hasSnapshot
            if unfinished == nil {
                guard !inventory.ownNames.isEmpty else { return nil }
                let name = StoreInventory.unfinishedResetName(settings.compactTime())
                try place.fileSystem.makeDirectory(place.path(of: name))
                try place.sync()
                unfinished = name
            }
            guard let unfinished else { return nil }
            // The snapshot first: without it the rest is never taken for a store.
            if inventory.hasSnapshot {
                try moveAside([StoreDirectory.snapshotName], to: unfinished, place, settings)
            }
            hasBegun = true
            try moveAside(
                inventory.ownNames.filter { $0 != StoreDirectory.snapshotName }, to: unfinished, place, settings)
            let name = try place.freeName(StoreInventory.resetName(ofUnfinished: unfinished), settings)
            try place.move(unfinished, to: name)
            try place.sync()
            return place.path(of: name)
        } catch {
            guard hasBegun else { throw .storage(.writing(error, error.subject)) }
            throw .storage(
                .outcomeUnknown(
                    reason: "Not everything in \(place.path) could be set aside: \(error). Nothing is lost; reset the"
                        + " store again to go on."))
        }
    }

    private static func moveAside(
        _ names: [String], to aside: String, _ place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(SystemError) {
        guard !names.isEmpty else { return }
        for name in names {
            try place.move(name, to: place.freeName(aside + "/" + name, settings))
        }
        // The new names must be durable before the old ones are durably gone.
        try File(place.path(of: aside), .directory, in: place.fileSystem).sync()
        try place.sync()
    }
}

extension StoreDirectory {
    /// The name, or a similar free one.
    func freeName(_ name: String, _ settings: StoreSettings) throws(SystemError) -> String {
        try status(of: name) == nil ? name : name + "-" + settings.makeIdentifier()
    }
}

extension StoreSettings {
    /// The time for names of files: no dashes and no colons.
    func compactTime() -> String {
        String(decoding: timestamp().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }
}
