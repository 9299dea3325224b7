/// A file before it has its name: it is written under another name. A file that was not placed is removed at its
/// owner's end, also after an error: on a full disk it would keep the missing space.
public struct DraftFile: ~Copyable {
    public private(set) var file: File
    private var name: Name

    /// The name until then. Other modules, optimized, refer to its metadata, so it is not private.
    struct Name: ~Copyable {
        let path: String
        let fileSystem: FileSystem
        var isPlaced = false

        deinit {
            // A file that cannot be removed is left to the next cleanup.
            if !isPlaced { do throws(SystemError) { try fileSystem.unlink(path) } catch {} }
        }
    }

    /// Makes the file; there must be none at `path`.
    public init(_ path: String, in fileSystem: FileSystem) throws(SystemError) {
        file = try File(path, .create, in: fileSystem)
        name = Name(path: path, fileSystem: fileSystem)
    }

    /// The path until it is placed.
    public var path: String { name.path }

    /// Gives the file its name, on the same file system. A rename that reports a failure but took place counts as done.
    /// - Parameter replaces: whether it may take the place of another file; else that is EEXIST.
    public mutating func place(as path: String, replaces: Bool = true) throws(SystemError) {
        let fileSystem = name.fileSystem
        do throws(SystemError) {
            if replaces {
                try fileSystem.rename(name.path, path)
            } else {
                try fileSystem.link(name.path, path)
                try fileSystem.unlink(name.path)
            }
        } catch {
            guard replaces, try !fileSystem.isThere(name.path), let there = try? fileSystem.statusOfPath(path),
                let mine = try? file.status(), there.device == mine.device, there.inode == mine.inode
            else { throw error }
        }
        name.isPlaced = true
        file.path = path
    }

    /// The open file; its draft ends.
    public consuming func takeFile() -> File { file }
}

extension FileSystem {
    /// Whether a file or a link of this name exists.
    public func isThere(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) { _ = try statusOfPath(path) } catch {
            if error.code == ENOENT { return false }
            throw error
        }
        return true
    }
}
