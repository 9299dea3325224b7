import JSONCodec

/// The digest of trusted bytes: `sha256:` and 64 hex digits.
///
/// For a plugin's folder it covers `moodboard-plugin-1` and a line feed, then per file, sorted by the bytes of its
/// path: the path, a zero byte, `x` or `-` for executable or not, a zero byte, its length in decimal, a zero byte, its
/// bytes.
public struct PluginDigest: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Nil if the text is no digest.
    public init?(_ text: String) {
        var text = text
        guard text.withUTF8({ Self.isText(UnsafeRawBufferPointer($0)) }) else { return nil }
        self.text = text
    }

    /// Whether these bytes are a digest.
    static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == 71, bytes.starts(with: "sha256:".utf8) else { return false }
        return bytes.dropFirst(7).allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
            default: false
            }
        }
    }

    init(_ hash: SHA256) { text = "sha256:" + hash.hex() }

    /// The digest of an MCP server's tools, as JSON with sorted members and no white space.
    public static func ofTools(_ tools: JSONValue) -> PluginDigest {
        var hash = SHA256()
        hash.update(CanonicalJSON.bytes(tools, numbers: .asWritten))
        return PluginDigest(hash)
    }

    public var description: String { text }
}

/// The name of a plugin's method for AI clients, several of which refuse dots.
public enum ToolName {
    public static let bytesMax = 48

    /// `x_<last label>_<name>_<six hex digits of the SHA-256 of x.<id>.<name>>`; a long name is cut before the digits.
    public static func of(_ id: PluginID, _ name: String) -> String {
        var hash = SHA256()
        hash.update("x.\(id).\(name)")
        let ending = "_" + hash.hex().prefix(6)
        let words = "x_\(id.lastLabel)_\(name)".utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
        return String(decoding: words.prefix(bytesMax - ending.utf8.count), as: UTF8.self) + ending
    }
}
