import Foundation

/// The shortest path between two places on a sphere.
public enum GreatCircle {
    /// The angle in radians between two places in degrees, by the haversine formula, which is also exact for near
    /// places. (R. W. Sinnott, "Virtues of the Haversine", 1984.)
    public static func angle(
        from one: (latitude: Double, longitude: Double), to other: (latitude: Double, longitude: Double)
    ) -> Double {
        let (a, b) = (one.latitude * .pi / 180, other.latitude * .pi / 180)
        let rise = sin((b - a) / 2)
        let run = sin((other.longitude - one.longitude) * .pi / 360)
        let chord = rise * rise + cos(a) * cos(b) * run * run
        return 2 * asin(min(chord, 1).squareRoot())
    }
}
