import CPlatform

/// A private folder of this process, made on first use.
public final class TemporaryFolder {
    private let name: String
    /// Its path; nil before `path`.
    public private(set) var made: String?

    public init(_ name: String) { self.name = name }

    /// - Throws: if it cannot be made.
    public func path() throws(SystemError) -> String {
        if let made { return made }
        let root = ProcessFacts.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(root)/\(name)-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else {
            throw SystemError(call: "mkdtemp", subject: root, code: cplatform_errno())
        }
        let text = String(cString: path)
        made = text
        return text
    }

    /// Removes the folder, if it was made, with these empty folders in it.
    public func remove(folders: [String]) {
        guard let made else { return }
        for folder in folders { rmdir("\(made)/\(folder)") }
        rmdir(made)
        self.made = nil
    }
}
