// Made from the declarations; write it again with MOODBOARD_GOLDEN=write swift test --filter ReferenceTests.

extension CellFact {
    static let all: [String: CellFact] = [
        "info": CellFact(term: "title", members: ["value"], note: nil),
        "image": CellFact(term: nil, members: ["url", "path"], note: "alt"),
        "audio": CellFact(term: nil, members: ["url", "path"], note: "title"),
        "link": CellFact(term: nil, members: ["url"], note: "title"),
        "email": CellFact(term: nil, members: ["address"], note: "label"),
        "coordinates": CellFact(term: nil, members: ["latitude", "longitude"], note: "label"),
        "address": CellFact(term: nil, members: ["text"], note: nil),
        "distance": CellFact(term: nil, members: ["text"], note: nil),
        "relationship": CellFact(term: "relation", members: ["title"], note: nil),
        "event": CellFact(term: "title", members: ["text"], note: nil),
        "schedule": CellFact(term: "title", members: ["text"], note: nil),
        "date": CellFact(term: nil, members: ["text"], note: nil),
        "eventRelationship": CellFact(term: "title", members: ["events"], note: nil),
        "field": CellFact(term: "title", members: ["text"], note: "problem"),
        "layer": CellFact(term: "title", members: ["text"], note: nil),
    ]
}
