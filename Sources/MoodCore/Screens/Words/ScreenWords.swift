import JSONCodec

/// The words of all screens except a mood's, in one language; `Words` has those of a mood.
struct ScreenWords: Sendable {
    /// A heading and the text below it.
    struct Piece: Sendable {
        let title: String
        let text: String

        init(_ title: String, _ text: String) {
            self.title = title
            self.text = text
        }
    }

    /// The menu's words except the names of features; nil in English, the menu's own language.
    struct MenuWords: Sendable {
        let sections: [String]
        /// A footer for each section; empty for none.
        let footers: [String]
        /// Descriptions in the order of the rows.
        let descriptions: [String]
    }

    /// The requirement of each field of the form, shown instead of the exact problem; `#` is the limit.
    struct Needs: Sendable {
        let emoji, label, notes, tags: String
    }

    let newMood, save, cancel, clearAll, addSamples, watch: String
    let mood, moods, more, selected: String
    /// The title of the list.
    let listTitle: String
    let noMoods, unreadable: Piece
    /// The text for a filter; `#` is the number of moods with its noun, such as "5 moods".
    let noMatch: Piece
    let label, emoji: String
    let form: Piece
    let opensScreen, selects: String
    let introLesson, observationLesson, architectureLesson: String
    let introFooters, observationFooters, listFooters: [String]
    /// The layers of a mood, from the client to the store.
    let layers: [Piece]
    let missing: String
    /// The words before the reason, if a store is damaged.
    let notWhole: String
    var menu: MenuWords?
    var needs: Needs?
    /// Whether zero takes the singular.
    var isNoneSingular = false

    func moods(_ count: Int) -> String {
        "\(count) \(count == 1 || count == 0 && isNoneSingular ? mood : moods)"
    }

    /// The requirement of a field; nil in English, the language of problems.
    func need(of name: StaticString, _ rules: MoodEditor.Rules) -> String? {
        guard let needs else { return nil }
        func filled(_ text: String, _ limit: Int) -> String {
            text.split(separator: "#", omittingEmptySubsequences: false).joined(separator: String(limit))
        }
        switch JSONText(name).string {
        case "emoji": return needs.emoji
        case "label": return filled(needs.label, rules.labelCharactersMax)
        case "notes": return filled(needs.notes, rules.notesBytesMax)
        default: return filled(needs.tags, rules.tagsMax)
        }
    }

    func more(_ count: Int) -> String { "\(moods(count)) \(more)" }

    static func of(_ locale: String) -> ScreenWords { Words.choose(locale, english, german, spanish, finnish, french) }

    static let english = ScreenWords(
        newMood: "New mood", save: "Save", cancel: "Cancel", clearAll: "Clear All", addSamples: "Add samples",
        watch: "Watch for changes", mood: "mood", moods: "moods", more: "more", selected: "Selected",
        listTitle: "Moods",
        noMoods: .init("No moods yet", "Record the first one, or add samples."),
        unreadable: .init("The moods could not be read", ""),
        noMatch: .init("No matching moods", "No mood matches this filter. Loosen it, or leave it out to see #."),
        label: "Label", emoji: "Emoji",
        form: .init("No form is open", "Begin a new mood to open one."),
        opensScreen: "Opens the screen", selects: "Selects it",
        introLesson:
            "This form lives in your session: what you type is kept while you look around, and gone when the session ends."
            + " Only what you save is stored.",
        observationLesson: "The list and its count are always those of the store, also when other programs change it.",
        architectureLesson: "The path of one mood, from the form to the disk.",
        introFooters: ["Choose an emoji and give the mood a label; then it can be saved."],
        observationFooters: ["Subscribe to hear of every change, also of those that other programs make."],
        listFooters: [
            "Tap a mood to open its detail.", "Swipe from the leading edge to edit a mood.",
            "Swipe from the trailing edge to delete it.",
        ],
        layers: [
            .init("Client", "Draws this screen and sends what you choose."),
            .init("Protocol", "Checks every message and says what is wrong with it."),
            .init("Session", "Holds the form and where you are, as long as the client is there."),
            .init("Model", "Knows what a mood is and how it is shown; it reads and writes nothing."),
            .init("Store", "Keeps each change, in one commit, before it is answered."),
        ], missing: "The mood that was shown here is no longer there. Go back.",
        notWhole:
            "Not everything that was recorded is shown: the store is damaged, or was changed by something else.")

    static let german = ScreenWords(
        newMood: "Neue Stimmung", save: "Sichern", cancel: "Abbrechen", clearAll: "Alle löschen",
        addSamples: "Beispiele hinzufügen", watch: "Änderungen beobachten", mood: "Stimmung", moods: "Stimmungen",
        more: "mehr", selected: "Ausgewählt", listTitle: "Stimmungen",
        noMoods: .init("Noch keine Stimmungen", "Erfasse die erste oder füge Beispiele hinzu."),
        unreadable: .init("Die Stimmungen konnten nicht gelesen werden", ""),
        noMatch: .init(
            "Keine passenden Stimmungen",
            "Keine Stimmung passt zu diesem Filter. Lockere ihn oder lass ihn weg, um # zu sehen."),
        label: "Bezeichnung", emoji: "Emoji",
        form: .init("Kein Formular ist offen", "Beginne eine neue Stimmung, um eines zu öffnen."),
        opensScreen: "Öffnet die Ansicht", selects: "Wählt es aus",
        introLesson:
            "Dieses Formular lebt in deiner Sitzung: Was du eingibst, bleibt, solange du dich umsiehst, und ist mit der"
            + " Sitzung vorbei. Gespeichert wird nur, was du sicherst.",
        observationLesson: "Liste und Anzahl sind immer die des Speichers, wer immer ihn ändert.",
        architectureLesson: "Der Weg einer Stimmung vom Formular bis auf die Platte.",
        introFooters: ["Wähle ein Emoji und gib der Stimmung eine Bezeichnung; dann lässt sie sich sichern."],
        observationFooters: [
            "Melde dich an, um von jeder Änderung zu hören, auch von denen anderer Programme."
        ],
        listFooters: [
            "Tippe auf eine Stimmung, um sie im Einzelnen zu sehen.",
            "Wische vom vorderen Rand, um eine Stimmung zu bearbeiten.",
            "Wische vom hinteren Rand, um sie zu löschen.",
        ],
        layers: [
            .init("Client", "Zeichnet diese Ansicht und schickt, was du wählst."),
            .init("Protokoll", "Prüft jede Nachricht und sagt, was an ihr falsch ist."),
            .init("Sitzung", "Hält das Formular und den Ort, an dem du bist, solange der Client da ist."),
            .init("Modell", "Weiß, was eine Stimmung ist und wie sie gezeigt wird; es liest und schreibt nichts."),
            .init("Speicher", "Bewahrt jede Änderung, in einem Commit, bevor sie beantwortet wird."),
        ], missing: "Die Stimmung, die hier zu sehen war, gibt es nicht mehr. Geh zurück.",
        notWhole:
            "Nicht alles, was erfasst wurde, ist zu sehen: Der Speicher ist beschädigt oder von anderem geändert worden.",
        menu: MenuWords(
            sections: ["Grundlagen", "Architektur & Navigation", "Daten & Navigation"],
            footers: [
                "Beginne hier: Zustand, der so lange lebt wie eine Ansicht, dann solcher, den andere beobachten.", "",
                "Öffne eine Stimmung der Liste, um sie im Einzelnen zu sehen und als Favorit zu markieren.",
            ],
            descriptions: [
                "Verfasse eine Stimmung in einem Formular, dessen Zustand mit ihm geht",
                "Sieh zu, wie sich die Liste ändert, während Stimmungen erfasst werden",
                "Folge einer Stimmung durch Formular, Modell und Speicher",
                "Stimmungen hinzufügen, bearbeiten, löschen und jede genau ansehen",
            ]),
        needs: Needs(
            emoji: "Wähle genau ein Emoji.", label: "Gib 1 bis # Zeichen ohne Zeilenumbruch ein.",
            notes: "Kürze die Notizen auf höchstens # Byte.",
            tags: "Höchstens # verschiedene Schlagwörter von 1 bis 64 Zeichen."))

    static let spanish = ScreenWords(
        newMood: "Nuevo estado de ánimo", save: "Guardar", cancel: "Cancelar", clearAll: "Borrar todo",
        addSamples: "Añadir ejemplos", watch: "Seguir los cambios", mood: "estado de ánimo", moods: "estados de ánimo",
        more: "más", selected: "Seleccionado", listTitle: "Estados de ánimo",
        noMoods: .init("Todavía no hay estados de ánimo", "Registra el primero o añade ejemplos."),
        unreadable: .init("No se pudieron leer los estados de ánimo", ""),
        noMatch: .init(
            "Ningún estado de ánimo coincide",
            "Ninguno coincide con este filtro. Amplíalo o quítalo para ver #."), label: "Nombre",
        emoji: "Emoji",
        form: .init("No hay ningún formulario abierto", "Empieza un nuevo estado de ánimo para abrir uno."),
        opensScreen: "Abre la pantalla", selects: "Lo selecciona",
        introLesson:
            "Este formulario vive en tu sesión: lo que escribes se conserva mientras miras otras pantallas y desaparece con"
            + " la sesión. Solo se guarda lo que guardas.",
        observationLesson: "La lista y su número son siempre los del almacén, sea quien sea quien lo cambie.",
        architectureLesson: "El camino de un estado de ánimo, del formulario al disco.",
        introFooters: ["Elige un emoji y pon un nombre; entonces se puede guardar."],
        observationFooters: ["Suscríbete para conocer cada cambio, también los de otros programas."],
        listFooters: [
            "Toca un estado de ánimo para abrir su detalle.", "Desliza desde el borde inicial para editarlo.",
            "Desliza desde el borde final para eliminarlo.",
        ],
        layers: [
            .init("Cliente", "Dibuja esta pantalla y envía lo que eliges."),
            .init("Protocolo", "Comprueba cada mensaje y dice qué está mal."),
            .init("Sesión", "Guarda el formulario y dónde estás, mientras el cliente está ahí."),
            .init("Modelo", "Sabe qué es un estado de ánimo y cómo se muestra; no lee ni escribe nada."),
            .init("Almacén", "Conserva cada cambio, en un solo commit, antes de responder."),
        ], missing: "El estado de ánimo que se mostraba aquí ya no existe. Vuelve atrás.",
        notWhole:
            "No se muestra todo lo que se registró: el almacén está dañado o algo ajeno lo ha cambiado.",
        menu: MenuWords(
            sections: ["Fundamentos", "Arquitectura y navegación", "Datos y navegación"],
            footers: [
                "Empieza aquí: estado que vive lo que una pantalla, y luego estado que otros observan.", "",
                "Abre un estado de ánimo de la lista para ver su detalle y marcarlo como favorito.",
            ],
            descriptions: [
                "Compón un estado de ánimo en un formulario cuyo estado desaparece con él",
                "Mira cómo cambia la lista mientras se registran estados de ánimo",
                "Sigue un estado de ánimo por formulario, modelo y almacén",
                "Añade, edita y elimina estados de ánimo, y mira cada uno de cerca",
            ]),
        needs: Needs(
            emoji: "Elige exactamente un emoji.", label: "Escribe de 1 a # caracteres sin saltos de línea.",
            notes: "Acorta las notas a # bytes como máximo.",
            tags: "Como máximo # etiquetas distintas de 1 a 64 caracteres."))

    static let finnish = ScreenWords(
        newMood: "Uusi mieliala", save: "Tallenna", cancel: "Peruuta", clearAll: "Poista kaikki",
        addSamples: "Lisää esimerkkejä", watch: "Seuraa muutoksia", mood: "mieliala", moods: "mielialaa",
        more: "lisää", selected: "Valittu", listTitle: "Mielialat",
        noMoods: .init("Ei vielä mielialoja", "Kirjaa ensimmäinen tai lisää esimerkkejä."),
        unreadable: .init("Mielialoja ei voitu lukea", ""),
        noMatch: .init(
            "Ei sopivia mielialoja",
            "Mikään mieliala ei vastaa suodatinta. Väljennä sitä tai jätä se pois, niin näkyvissä on #."),
        label: "Nimi",
        emoji: "Emoji",
        form: .init("Mikään lomake ei ole auki", "Aloita uusi mieliala avataksesi lomakkeen."),
        opensScreen: "Avaa näkymän", selects: "Valitsee sen",
        introLesson:
            "Tämä lomake elää istunnossasi: kirjoittamasi säilyy, kun katselet ympärillesi, ja katoaa istunnon mukana."
            + " Vain tallennettu säilyy.",
        observationLesson: "Luettelo ja lukumäärä ovat aina varaston omat, muuttipa sitä kuka tahansa.",
        architectureLesson: "Yhden mielialan tie lomakkeelta levylle.",
        introFooters: ["Valitse emoji ja anna mielialalle nimi; sitten sen voi tallentaa."],
        observationFooters: ["Tilaa ilmoitukset, niin kuulet jokaisesta muutoksesta, myös muiden ohjelmien tekemistä."],
        listFooters: [
            "Napauta mielialaa avataksesi sen tiedot.", "Pyyhkäise alkureunasta muokataksesi mielialaa.",
            "Pyyhkäise loppureunasta poistaaksesi sen.",
        ],
        layers: [
            .init("Asiakas", "Piirtää tämän näkymän ja lähettää valintasi."),
            .init("Protokolla", "Tarkistaa jokaisen viestin ja kertoo, mikä siinä on väärin."),
            .init("Istunto", "Pitää lomakkeen ja paikkasi tallessa, niin kauan kuin asiakas on paikalla."),
            .init("Malli", "Tietää, mikä mieliala on ja miten se näytetään; se ei lue eikä kirjoita mitään."),
            .init("Varasto", "Säilyttää jokaisen muutoksen yhtenä kirjauksena ennen vastausta."),
        ], missing: "Tässä näkynyttä mielialaa ei enää ole. Palaa takaisin.",
        notWhole:
            "Kaikkea kirjattua ei näytetä: tallennus on vaurioitunut, tai jokin muu on muuttanut sitä.",
        menu: MenuWords(
            sections: ["Perusteet", "Arkkitehtuuri ja navigointi", "Tiedot ja navigointi"],
            footers: [
                "Aloita tästä: tila, joka elää näkymän ajan, ja sitten tila, jota muut seuraavat.", "",
                "Avaa mieliala luettelosta nähdäksesi sen tiedot ja merkitäksesi sen suosikiksi.",
            ],
            descriptions: [
                "Laadi mieliala lomakkeella, jonka tila katoaa sen mukana",
                "Katso, miten luettelo muuttuu, kun mielialoja kirjataan",
                "Seuraa yhtä mielialaa lomakkeen, mallin ja varaston läpi",
                "Lisää, muokkaa ja poista mielialoja ja katso kutakin tarkasti",
            ]),
        needs: Needs(
            emoji: "Valitse täsmälleen yksi emoji.", label: "Kirjoita 1–# merkkiä ilman rivinvaihtoja.",
            notes: "Lyhennä muistiinpanot enintään # tavuun.",
            tags: "Enintään # erilaista tunnistetta, kukin 1–64 merkkiä."))

    static let french = ScreenWords(
        newMood: "Nouvelle humeur", save: "Enregistrer", cancel: "Annuler", clearAll: "Tout effacer",
        addSamples: "Ajouter des exemples", watch: "Suivre les changements", mood: "humeur", moods: "humeurs",
        more: "de plus", selected: "Sélectionné", listTitle: "Humeurs",
        noMoods: .init("Pas encore d’humeurs", "Notez la première ou ajoutez des exemples."),
        unreadable: .init("Les humeurs n’ont pas pu être lues", ""),
        noMatch: .init(
            "Aucune humeur ne correspond",
            "Aucune humeur ne correspond à ce filtre. Élargissez-le ou retirez-le pour voir #."), label: "Nom",
        emoji: "Emoji",
        form: .init("Aucun formulaire n’est ouvert", "Commencez une nouvelle humeur pour en ouvrir un."),
        opensScreen: "Ouvre l’écran", selects: "Le sélectionne",
        introLesson:
            "Ce formulaire vit dans votre session : ce que vous tapez reste tant que vous regardez autour de vous, et"
            + " disparaît avec elle. Seul ce que vous enregistrez est conservé.",
        observationLesson: "La liste et son nombre sont toujours ceux du stockage, quel que soit celui qui le modifie.",
        architectureLesson: "Le chemin d’une humeur, du formulaire au disque.",
        introFooters: ["Choisissez un emoji et donnez un nom ; l’humeur peut alors être enregistrée."],
        observationFooters: [
            "Abonnez-vous pour apprendre chaque changement, aussi ceux que font d’autres programmes."
        ],
        listFooters: [
            "Touchez une humeur pour ouvrir son détail.", "Balayez depuis le bord de début pour la modifier.",
            "Balayez depuis le bord de fin pour la supprimer.",
        ],
        layers: [
            .init("Client", "Dessine cet écran et envoie ce que vous choisissez."),
            .init("Protocole", "Vérifie chaque message et dit ce qui ne va pas."),
            .init("Session", "Garde le formulaire et l’endroit où vous êtes, tant que le client est là."),
            .init("Modèle", "Sait ce qu’est une humeur et comment la montrer ; il ne lit ni n’écrit rien."),
            .init("Stockage", "Conserve chaque changement, en un seul commit, avant d’y répondre."),
        ], missing: "L’humeur qui était montrée ici n’existe plus. Revenez en arrière.",
        notWhole:
            "Tout ce qui a été noté ne s'affiche pas : le stockage est endommagé ou a été modifié par autre chose.",
        menu: MenuWords(
            sections: ["Bases", "Architecture et navigation", "Données et navigation"],
            footers: [
                "Commencez ici : un état qui vit autant qu’un écran, puis un état que d’autres observent.", "",
                "Ouvrez une humeur de la liste pour voir son détail et la marquer comme favorite.",
            ],
            descriptions: [
                "Composez une humeur dans un formulaire dont l’état disparaît avec lui",
                "Regardez la liste changer pendant que des humeurs sont notées",
                "Suivez une humeur à travers le formulaire, le modèle et le stockage",
                "Ajoutez, modifiez et supprimez des humeurs, et regardez chacune de près",
            ]),
        needs: Needs(
            emoji: "Choisissez exactement un emoji.", label: "Saisissez de 1 à # caractères sans saut de ligne.",
            notes: "Raccourcissez les notes à # octets au plus.",
            tags: "Au plus # étiquettes différentes de 1 à 64 caractères."), isNoneSingular: true)
}
