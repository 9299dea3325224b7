import Foundation

/// Texts that Unicode calls equivalent, in one form, so that their scalars can be compared. UAX #15.
public enum CanonicalForm {
    /// The canonical decomposition, with marks in canonical order.
    public static func decomposed(_ text: String) -> String { text.decomposedStringWithCanonicalMapping }
}
