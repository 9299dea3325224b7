import Foundation

/// One form for texts that Unicode calls equivalent, so that their scalars can be compared. UAX #15.
public enum CanonicalForm {
    /// The canonical decomposition, with marks in canonical order.
    public static func decomposed(_ text: String) -> String { text.decomposedStringWithCanonicalMapping }
}
