/// A set of characters by code points.
struct ScalarSet: Sendable {
    private var ranges: [ClosedRange<UInt32>] = []
    /// Sets that are inverted or made of categories.
    private var parts: [ScalarSet] = []
    /// A prefix of the short names of general categories, such as `L` or `Lu`.
    private var category: String?
    private var isInverted = false

    init() {}

    init(_ scalar: UInt32) { ranges = [scalar...scalar] }

    private init(_ ranges: [ClosedRange<UInt32>]) { self.ranges = ranges }

    /// The character of a set with only one.
    var single: UInt32? {
        guard ranges.count == 1, parts.isEmpty, category == nil, !isInverted, ranges[0].count == 1 else { return nil }
        return ranges[0].lowerBound
    }

    var inverted: ScalarSet {
        var set = self
        set.isInverted.toggle()
        return set
    }

    mutating func add(_ range: ClosedRange<UInt32>) { ranges.append(range) }

    mutating func add(_ other: ScalarSet) {
        if other.isInverted || other.category != nil { parts.append(other) } else { ranges += other.ranges }
    }

    func contains(_ scalar: UInt32) -> Bool {
        let isIn =
            ranges.contains { $0.contains(scalar) } || parts.contains { $0.contains(scalar) }
            || category.map { Self.name(of: scalar).hasPrefix($0) } ?? false
        return isIn != isInverted
    }

    // MARK: Sets with names, ECMA-262, section 22.2.2.9

    static let digit = ScalarSet([48...57])
    static let word = ScalarSet([48...57, 65...90, 95...95, 97...122])
    /// White space and line terminators.
    static let space = ScalarSet([
        0x09...0x0d, 0x20...0x20, 0xa0...0xa0, 0x1680...0x1680, 0x2000...0x200a, 0x2028...0x2029, 0x202f...0x202f,
        0x205f...0x205f, 0x3000...0x3000, 0xfeff...0xfeff,
    ])
    /// The set of a dot.
    static let anyInLine = ScalarSet([0x0a...0x0a, 0x0d...0x0d, 0x2028...0x2029]).inverted

    private static let longNames = [
        "Letter": "L", "Mark": "M", "Number": "N", "Punctuation": "P", "punct": "P", "Symbol": "S", "Separator": "Z",
        "Other": "C", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Decimal_Number": "Nd", "digit": "Nd",
    ]

    /// A general category by its short name or a well-known long one.
    init?(category name: String) {
        let short = Self.longNames[name] ?? name
        guard Self.names.contains(where: { $0 == short || $0.hasPrefix(short) && short.utf8.count == 1 }) else {
            return nil
        }
        category = short
    }

    private static let names = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
        "Sm",
        "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]

    private static func name(of scalar: UInt32) -> String {
        guard let category = Unicode.Scalar(scalar)?.properties.generalCategory else { return "Cs" }
        return switch category {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
