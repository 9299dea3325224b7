/// How a cell is told as a term and what it says: names of its members. `all` has them by the type of the cell; it is made
/// from the declarations.
struct CellFact: Sendable {
    /// The member that is the term; the type is it, if nil.
    let term: String?
    /// The members that are told, if they are there.
    let members: [String]
    /// Told in brackets, if it says something else.
    let note: String?
}
