/// The words of the screens in one language. Words for times and numbers come from Foundation; these few phrases are
/// ours. A class, because a screen passes them from cell to cell. (Apple platforms: a string catalog; Android:
/// `strings.xml`.)
@dynamicMemberLookup
final class Words: Sendable {
    struct Texts: Sendable {
        let recorded, favorite, yes, no, tags, valence, notes, noNotes, notesLeftOut, editNotesHint: String
        let addToFavorites, removeFromFavorites, favoriteHint, close, closeHint: String
        let share, edit, delete, exportEvent, open: String
        let image, audio, play, pause, link, email, coordinates, address, distance: String
        let missingMood, event, schedule, date, moreEventsOfHost, hint: String
        /// The titles of members of ready kinds, by name.
        var titles: [String: String] = [:]
    }

    private let texts: Texts

    private init(_ texts: Texts) { self.texts = texts }

    @inline(__always)
    subscript<Text>(dynamicMember path: KeyPath<Texts, Text>) -> Text { texts[keyPath: path] }

    /// The words of a locale's language; English if we have none.
    static func of(_ locale: String) -> Words { choose(locale, english, german, spanish, finnish, french) }

    /// The value for a locale's language; that for English if we have no words.
    static func choose<Value>(
        _ locale: String, _ english: @autoclosure () -> Value, _ german: @autoclosure () -> Value,
        _ spanish: @autoclosure () -> Value, _ finnish: @autoclosure () -> Value, _ french: @autoclosure () -> Value
    ) -> Value {
        switch language(of: locale) {
        case .german: german()
        case .spanish: spanish()
        case .finnish: finnish()
        case .french: french()
        case .english, nil: english()
        }
    }

    /// The title of a member of a ready kind: in `titles`, else its name in English.
    func title(of field: MoodField) -> String {
        let name = "\(field.name)"
        return texts.titles[name] ?? name.prefix(1).uppercased() + name.dropFirst()
    }

    private enum Language { case english, german, spanish, finnish, french }

    /// The language of a locale, from the two letters before the first separator; nil if we have no words.
    private static func language(of locale: String) -> Language? {
        // Runs for each shared mood, so it makes no views of the text.
        var locale = locale
        let letters = locale.withUTF8 { (text) -> (UInt8, UInt8) in
            let isEnded = text.count < 3 || text[2] == UInt8(ascii: "_") || text[2] == UInt8(ascii: "-")
            return text.count >= 2 && isEnded ? (text[0] | 0x20, text[1] | 0x20) : (0, 0)
        }
        switch letters {
        case (UInt8(ascii: "d"), UInt8(ascii: "e")): return .german
        case (UInt8(ascii: "e"), UInt8(ascii: "n")): return .english
        case (UInt8(ascii: "e"), UInt8(ascii: "s")): return .spanish
        case (UInt8(ascii: "f"), UInt8(ascii: "i")): return .finnish
        case (UInt8(ascii: "f"), UInt8(ascii: "r")): return .french
        default: return nil
        }
    }

    /// The words before a relative time, so that both are one sentence of one language. Empty if we have no words: the
    /// time alone is clear enough.
    static func beforeRelative(_ locale: String) -> StaticString {
        switch language(of: locale) {
        case .english: "Recorded "
        case .german: "Erfasst "
        case .spanish: "Registrado "
        case .finnish: "Kirjattu "
        case .french: "Noté "
        case nil: ""
        }
    }

    static let english = Words(
        Texts(
            recorded: "Recorded", favorite: "Favorite", yes: "Yes", no: "No", tags: "Tags", valence: "Valence",
            notes: "Notes", noNotes: "No notes yet", notesLeftOut: "left out", editNotesHint: "Edits the notes",
            addToFavorites: "Add to favorites", removeFromFavorites: "Remove from favorites",
            favoriteHint: "Double tap to toggle favorite status", close: "Close", closeHint: "Goes back",
            share: "Share", edit: "Edit", delete: "Delete", exportEvent: "Export event", open: "Open",
            image: "Image", audio: "Audio", play: "Plays it", pause: "Pauses it", link: "Link", email: "Email",
            coordinates: "Coordinates", address: "Address", distance: "Distance",
            missingMood: "This mood is no longer there", event: "Event", schedule: "Schedule", date: "Date",
            moreEventsOfHost: "More events of", hint: "Mark this mood as a favorite, share it, edit it or delete it."))

    static let german = Words(
        Texts(
            recorded: "Erfasst", favorite: "Favorit", yes: "Ja", no: "Nein", tags: "Schlagwörter", valence: "Wertung",
            notes: "Notizen", noNotes: "Noch keine Notizen", notesLeftOut: "ausgelassen",
            editNotesHint: "Bearbeitet die Notizen",
            addToFavorites: "Zu Favoriten hinzufügen", removeFromFavorites: "Aus Favoriten entfernen",
            favoriteHint: "Doppeltippen ändert den Favoritenstatus", close: "Schließen", closeHint: "Geht zurück",
            share: "Teilen", edit: "Bearbeiten", delete: "Löschen", exportEvent: "Termin exportieren", open: "Öffnen",
            image: "Bild", audio: "Ton", play: "Spielt ab", pause: "Hält an", link: "Link", email: "E-Mail",
            coordinates: "Koordinaten", address: "Adresse", distance: "Entfernung",
            missingMood: "Diese Stimmung gibt es nicht mehr", event: "Termin", schedule: "Termine", date: "Datum",
            moreEventsOfHost: "Weitere Termine von",
            hint: "Diese Stimmung lässt sich als Favorit markieren, teilen, bearbeiten oder löschen."))

    static let spanish = Words(
        Texts(
            recorded: "Registrado", favorite: "Favorito", yes: "Sí", no: "No", tags: "Etiquetas", valence: "Valencia",
            notes: "Notas", noNotes: "Todavía no hay notas", notesLeftOut: "omitidas",
            editNotesHint: "Edita las notas",
            addToFavorites: "Añadir a favoritos", removeFromFavorites: "Quitar de favoritos",
            favoriteHint: "Toca dos veces para cambiar el favorito", close: "Cerrar", closeHint: "Vuelve atrás",
            share: "Compartir", edit: "Editar", delete: "Eliminar", exportEvent: "Exportar evento", open: "Abrir",
            image: "Imagen", audio: "Audio", play: "Lo reproduce", pause: "Lo pausa", link: "Enlace",
            email: "Correo electrónico", coordinates: "Coordenadas", address: "Dirección", distance: "Distancia",
            missingMood: "Este estado de ánimo ya no existe", event: "Evento", schedule: "Horario", date: "Fecha",
            moreEventsOfHost: "Más eventos de",
            hint: "Puedes marcar este estado de ánimo como favorito, compartirlo, editarlo o eliminarlo."))

    static let finnish = Words(
        Texts(
            recorded: "Kirjattu", favorite: "Suosikki", yes: "Kyllä", no: "Ei", tags: "Tunnisteet", valence: "Sävy",
            notes: "Muistiinpanot", noNotes: "Ei vielä muistiinpanoja", notesLeftOut: "jätetty pois",
            editNotesHint: "Muokkaa muistiinpanoja",
            addToFavorites: "Lisää suosikkeihin", removeFromFavorites: "Poista suosikeista",
            favoriteHint: "Kaksoisnapauta vaihtaaksesi suosikkitilaa", close: "Sulje", closeHint: "Palaa takaisin",
            share: "Jaa", edit: "Muokkaa", delete: "Poista", exportEvent: "Vie tapahtuma", open: "Avaa",
            image: "Kuva", audio: "Ääni", play: "Toistaa", pause: "Keskeyttää", link: "Linkki", email: "Sähköposti",
            coordinates: "Koordinaatit", address: "Osoite", distance: "Etäisyys",
            missingMood: "Tätä mielialaa ei enää ole", event: "Tapahtuma", schedule: "Aikataulu", date: "Päivä",
            moreEventsOfHost: "Lisää tapahtumia järjestäjältä",
            hint: "Voit merkitä mielialan suosikiksi, jakaa sen, muokata sitä tai poistaa sen."))

    static let french = Words(
        Texts(
            recorded: "Noté", favorite: "Favori", yes: "Oui", no: "Non", tags: "Étiquettes", valence: "Valence",
            notes: "Notes", noNotes: "Pas encore de notes", notesLeftOut: "omises", editNotesHint: "Modifie les notes",
            addToFavorites: "Ajouter aux favoris", removeFromFavorites: "Retirer des favoris",
            favoriteHint: "Touchez deux fois pour changer l’état de favori", close: "Fermer",
            closeHint: "Revient en arrière",
            share: "Partager", edit: "Modifier", delete: "Supprimer", exportEvent: "Exporter l’événement",
            open: "Ouvrir",
            image: "Image", audio: "Audio", play: "Lit l’audio", pause: "Met en pause", link: "Lien", email: "E-mail",
            coordinates: "Coordonnées", address: "Adresse", distance: "Distance",
            missingMood: "Cette humeur n’existe plus", event: "Événement", schedule: "Horaire", date: "Date",
            moreEventsOfHost: "Autres événements de",
            hint: "Vous pouvez marquer cette humeur comme favorite, la partager, la modifier ou la supprimer."))
}
