import JSONRPC
import MoodProtocol

/// A peer that calls methods, with its permissions. (POSIX: the credentials of a process.)
final class Caller: Sendable {
    /// The process that started the host, and speaks to it on its pipe.
    static let client = Caller(session: 0, permissions: .all)

    /// The number of its session. Each caller has its own request ids, and cancels only its own requests.
    let session: Int
    let permissions: Permissions
    /// The id of a calling plugin; nil: the client.
    let plugin: String?

    init(session: Int, permissions: Permissions, plugin: String? = nil) {
        self.session = session
        self.permissions = permissions
        self.plugin = plugin
    }

    /// The origin of its commits; nil: the client.
    var origin: String? { plugin.map { "x.\($0)" } }

    /// - Throws: `permissionDenied` if the caller may not call the method.
    @inline(__always)
    static func check(_ permissions: Permissions, _ entry: MethodTable.Entry) throws(RPCError) {
        if !permissions.contains(entry.permission) { throw denied(entry.method) }
    }

    private static func denied(_ method: Method) -> RPCError {
        let permission = method.permission.granted
        let reason =
            method.permission == .owner
            ? "\(method.name) is for people alone: no permission of a plugin opens it."
            : "\(method.name) needs the permission \(permission), which was not granted."
        return RPCError(.permissionDenied, reason, [.init("permission", .string(permission))])
    }
}

/// The permissions of a caller, in the terms of the methods' declarations.
struct Permissions: OptionSet, Sendable {
    let rawValue: UInt8
    static let readMoods = Permissions(rawValue: 1)
    static let writeMoods = Permissions(rawValue: 2)
    static let navigation = Permissions(rawValue: 4)
    static let owner = Permissions(rawValue: 8)
    static let all: Permissions = [.readMoods, .writeMoods, .navigation, .owner]
}

extension Permissions {
    @inline(__always)
    init(_ permission: MethodDeclaration.Permission) {
        switch permission {
        case .readMoods: self = .readMoods
        case .writeMoods: self = .writeMoods
        case .navigation: self = .navigation
        case .owner: self = .owner
        }
    }
}
