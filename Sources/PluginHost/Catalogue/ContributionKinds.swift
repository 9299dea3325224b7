import JSONCodec

/// The kinds of a plugin's contributions. A starting host needs no more; it parses the manifest when it needs one of
/// them.
public struct ContributionKinds: OptionSet, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let methods = ContributionKinds(rawValue: 1)
    public static let shareFormats = ContributionKinds(rawValue: 2)
    public static let cells = ContributionKinds(rawValue: 4)
    public static let changeHooks = ContributionKinds(rawValue: 8)
    public static let navigateHooks = ContributionKinds(rawValue: 16)
    public static let events = ContributionKinds(rawValue: 32)
    public static let importers = ContributionKinds(rawValue: 64)
    public static let exporters = ContributionKinds(rawValue: 128)
    public static let menu = ContributionKinds(rawValue: 256)
    public static let transports = ContributionKinds(rawValue: 512)

    /// Reads a checked manifest, and moves the reader past it.
    init(_ reader: inout JSONReader) {
        self = []
        guard reader.enterObject() else { return }
        while let key = reader.nextKey() {
            if key.equals("provides") {
                readProvides(&reader)
            } else if key.equals("kind") {
                // The tools of an MCP server are methods.
                if JSONValue(reader.skip()).string == "mcp" { insert(.methods) }
            } else {
                _ = reader.skip()
            }
        }
    }

    private mutating func readProvides(_ reader: inout JSONReader) {
        guard reader.enterObject() else {
            reader.skip()
            return
        }
        while let key = reader.nextKey() {
            guard reader.enterArray() else {
                _ = reader.skip()
                continue
            }
            while reader.nextElement() {
                let element = reader.skip()
                if key.equals("methods") {
                    insert(.methods)
                } else if key.equals("shareFormats") {
                    insert(.shareFormats)
                } else if key.equals("cells") {
                    insert(.cells)
                } else if key.equals("hooks") {
                    let isNavigation = JSONValue(element)["on"]?.string == "navigate"
                    insert(isNavigation ? .navigateHooks : .changeHooks)
                } else if key.equals("events") {
                    insert(.events)
                } else if key.equals("importers") {
                    insert(.importers)
                } else if key.equals("exporters") {
                    insert(.exporters)
                } else if key.equals("menu") {
                    insert(.menu)
                } else if key.equals("transports") {
                    insert(.transports)
                }
            }
        }
    }
}
