/// The form of a cell as a term and its value: names of the cell's members. `all` has a form for each type of cell; it
/// is made from the declarations.
struct CellFact: Sendable {
    /// The member that is the term; nil takes the type.
    let term: String?
    /// The members to show, if they are there.
    let members: [String]
    /// The member to show in brackets, if it says something else.
    let note: String?
}
