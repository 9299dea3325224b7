import MoodText

/// A place on the earth, in degrees: latitude -90…90, longitude -180…180.
public struct Coordinates: Sendable, Equatable {
    public var latitude: Double
    public var longitude: Double

    /// The mean radius of the earth in meters (IUGG, R1).
    public static let earthRadius = 6_371_008.8

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    public var latitudeText: String { Self.decimal(latitude) }
    public var longitudeText: String { Self.decimal(longitude) }

    /// A `geo:` URI. RFC 5870.
    public var url: String { "geo:\(latitudeText),\(longitudeText)" }

    /// A decimal with at most six digits after the point, a tenth of a meter, and without an exponent, which neither
    /// URIs nor calendars allow. (RFC 5870, section 3.3; RFC 5545, section 3.8.1.6.)
    private static func decimal(_ degrees: Double) -> String {
        let millionths = Int((degrees * 1e6).rounded())
        let sign = millionths < 0 ? "-" : ""
        let (whole, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return "\(sign)\(whole)" }
        var digits = String(rest + 1_000_000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}

extension Coordinates {
    /// The distance to another place in meters, along the great circle on a sphere of the earth's mean radius.
    public func distance(to other: Coordinates) -> Double {
        GreatCircle.angle(from: (latitude, longitude), to: (other.latitude, other.longitude)) * Self.earthRadius
    }
}
