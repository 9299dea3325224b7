extension LookBackWords {
    static let english = LookBackWords(
        Texts(
            language: "en", decimalSign: ".",
            months: "January February March April May June July August September October November December",
            shortMonths: "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
            weekdays: "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
            shortWeekdays: "Mon Tue Wed Thu Fri Sat Sun",
            parts: ["Night, 0 to 6", "Morning, 6 to 12", "Afternoon, 12 to 18", "Evening, 18 to 24"],
            bands: ["very unpleasant", "unpleasant", "between", "pleasant", "very pleasant"], unknown: "not known",
            gap: "no mood",
            titles: .init(
                summary: "Summary", report: "Report", moods: "Moods", course: "Course", feelings: "Feelings",
                tags: "Tags",
                weekdays: "Days of the week", parts: "Times of day", onThisDay: "On this day",
                pixels: "{year} in pixels"),
            sentences: .init(
                none: "There are no moods here.", overview: "{first} to {last}: {moods} on {days}, {favorites}.",
                pleasant: "How pleasant: {average} on average ({band}), spread {spread}{estimated}.",
                estimated: "; {count} estimated from the palette",
                before: "Before, {first} to {last}: {moods}{average}.",
                beforeAverage: ", {average} on average", swings: "From day to day it moves by {number}.",
                row: "In a row: {now} now; at most {most}, from {first} to {last}.",
                warning: "Moods with a tag, compared with those without it. What goes together need not be the cause.",
                counted: "How many moods, and how pleasant they were.",
                course: "How pleasant it was, from \u{2212}1 to 1; a gap where there is no mood.",
                year: "Each day of the year as a square; {days} with moods.",
                month: "Each day of the month; {days} with moods.", compared: "{with} with, {without} without"),
            table: .init(
                asTable: "As a table", day: "Day", moods: "Moods", average: "Average", mood: "Mood", with: "With",
                without: "Without", difference: "Difference", show: "Show {count}"),
            mood: .init(one: "mood", many: "moods"), day: .init(one: "day", many: "days"),
            favorite: .init(one: "favorite", many: "favorites")))

    static let german = LookBackWords(
        Texts(
            language: "de", decimalSign: ",",
            months: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
            shortMonths: "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
            weekdays: "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
            shortWeekdays: "Mo Di Mi Do Fr Sa So",
            parts: ["Nacht, 0–6", "Morgen, 6–12", "Nachmittag, 12–18", "Abend, 18–24"],
            bands: ["sehr unangenehm", "unangenehm", "dazwischen", "angenehm", "sehr angenehm"], unknown: "unbekannt",
            gap: "keine Stimmung",
            titles: .init(
                summary: "Überblick", report: "Bericht", moods: "Stimmungen", course: "Verlauf", feelings: "Gefühle",
                tags: "Schlagwörter", weekdays: "Wochentage", parts: "Tageszeiten", onThisDay: "An diesem Tag",
                pixels: "{year} in Pixeln"),
            sentences: .init(
                none: "Hier sind keine Stimmungen.", overview: "{first} bis {last}: {moods}, {days}, {favorites}.",
                pleasant: "Wie angenehm: {average} im Mittel ({band}), Streuung {spread}{estimated}.",
                estimated: "; {count} nach der Palette geschätzt",
                before: "Davor, {first} bis {last}: {moods}{average}.",
                beforeAverage: ", {average} im Mittel", swings: "Von Tag zu Tag ändert es sich um {number}.",
                row: "In Folge: jetzt {now}; höchstens {most}, vom {first} bis zum {last}.",
                warning:
                    "Stimmungen mit einem Schlagwort, verglichen mit denen ohne es. Was zusammen vorkommt, muss nicht die Ursache sein.",
                counted: "Wie viele Stimmungen, und wie angenehm sie waren.",
                course: "Wie angenehm es war, von \u{2212}1 bis 1; eine Lücke, wo keine Stimmung ist.",
                year: "Jeder Tag des Jahres als Quadrat; {days} mit Stimmungen.",
                month: "Jeder Tag des Monats; {days} mit Stimmungen.", compared: "{with} mit, {without} ohne"),
            table: .init(
                asTable: "Als Tabelle", day: "Tag", moods: "Stimmungen", average: "Mittel", mood: "Stimmung",
                with: "Mit",
                without: "Ohne", difference: "Unterschied", show: "{count} zeigen"),
            mood: .init(one: "Stimmung", many: "Stimmungen"), day: .init(one: "Tag", many: "Tage"),
            favorite: .init(one: "Favorit", many: "Favoriten")))

    static let spanish = LookBackWords(
        Texts(
            language: "es", decimalSign: ",",
            months: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
            shortMonths: "ene feb mar abr may jun jul ago sep oct nov dic",
            weekdays: "lunes martes miércoles jueves viernes sábado domingo",
            shortWeekdays: "lun mar mié jue vie sáb dom",
            parts: ["Noche, de 0 a 6", "Mañana, de 6 a 12", "Tarde, de 12 a 18", "Noche, de 18 a 24"],
            bands: ["muy desagradable", "desagradable", "intermedio", "agradable", "muy agradable"],
            unknown: "desconocido", gap: "ningún estado de ánimo",
            titles: .init(
                summary: "Resumen", report: "Informe", moods: "Estados de ánimo", course: "Evolución",
                feelings: "Sentimientos",
                tags: "Etiquetas", weekdays: "Días de la semana", parts: "Momentos del día",
                onThisDay: "Tal día como hoy",
                pixels: "{year} en píxeles"),
            sentences: .init(
                none: "Aquí no hay estados de ánimo.",
                overview: "Del {first} al {last}: {moods} en {days}, {favorites}.",
                pleasant: "Agrado: {average} de media ({band}), dispersión {spread}{estimated}.",
                estimated: "; {count} según la paleta", before: "Antes, del {first} al {last}: {moods}{average}.",
                beforeAverage: ", {average} de media", swings: "De un día a otro cambia en {number}.",
                row: "Seguidos: ahora {now}; como mucho {most}, del {first} al {last}.",
                warning:
                    "Estados de ánimo con una etiqueta, comparados con los que no la tienen. Lo que coincide no es siempre la causa.",
                counted: "Cuántos estados de ánimo, y lo agradables que fueron.",
                course: "Lo agradable que fue, de \u{2212}1 a 1; un hueco donde no hay ninguno.",
                year: "Cada día del año como un cuadrado; {days} con estados de ánimo.",
                month: "Cada día del mes; {days} con estados de ánimo.", compared: "{with} con, {without} sin"),
            table: .init(
                asTable: "Como tabla", day: "Día", moods: "Estados de ánimo", average: "Media", mood: "Estado de ánimo",
                with: "Con",
                without: "Sin", difference: "Diferencia", show: "Mostrar {count}"),
            mood: .init(one: "estado de ánimo", many: "estados de ánimo"), day: .init(one: "día", many: "días"),
            favorite: .init(one: "favorito", many: "favoritos")))

    static let finnish = LookBackWords(
        Texts(
            language: "fi", decimalSign: ",",
            months:
                "tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu",
            shortMonths: "tam hel maa huh tou kes hei elo syy lok mar jou",
            weekdays: "maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai",
            shortWeekdays: "ma ti ke to pe la su", parts: ["Yö, 0–6", "Aamu, 6–12", "Iltapäivä, 12–18", "Ilta, 18–24"],
            bands: ["hyvin epämiellyttävä", "epämiellyttävä", "siltä väliltä", "miellyttävä", "hyvin miellyttävä"],
            unknown: "ei tiedossa", gap: "ei mielialaa",
            titles: .init(
                summary: "Yhteenveto", report: "Raportti", moods: "Mielialat", course: "Kulku", feelings: "Tunteet",
                tags: "Tunnisteet", weekdays: "Viikonpäivät", parts: "Vuorokaudenajat", onThisDay: "Tänä päivänä",
                pixels: "{year} pikseleinä"),
            sentences: .init(
                none: "Täällä ei ole mielialoja.", overview: "{first} – {last}: {moods}, {days}, {favorites}.",
                pleasant: "Miellyttävyys: keskimäärin {average} ({band}), hajonta {spread}{estimated}.",
                estimated: "; {count} arvioitu paletista", before: "Sitä ennen, {first} – {last}: {moods}{average}.",
                beforeAverage: ", keskimäärin {average}", swings: "Päivästä toiseen se muuttuu {number}.",
                row: "Peräkkäin: nyt {now}; enintään {most}, {first} – {last}.",
                warning:
                    "Mielialat, joilla on tunniste, verrattuna niihin, joilla sitä ei ole. Yhdessä esiintyvä ei ole aina syy.",
                counted: "Kuinka monta mielialaa ja kuinka miellyttäviä ne olivat.",
                course: "Kuinka miellyttävää oli, \u{2212}1:stä 1:een; aukko siinä, missä mielialaa ei ole.",
                year: "Vuoden jokainen päivä ruutuna; mielialoja: {days}.",
                month: "Kuukauden jokainen päivä; mielialoja: {days}.",
                compared: "{with} kun on, {without} kun ei ole"),
            table: .init(
                asTable: "Taulukkona", day: "Päivä", moods: "Mielialat", average: "Keskiarvo", mood: "Mieliala",
                with: "Kun on", without: "Kun ei ole", difference: "Ero", show: "Näytä {count}"),
            mood: .init(one: "mieliala", many: "mielialaa"), day: .init(one: "päivä", many: "päivää"),
            favorite: .init(one: "suosikki", many: "suosikkia")))

    static let french = LookBackWords(
        Texts(
            language: "fr", decimalSign: ",",
            months: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
            shortMonths: "jan fév mar avr mai jun jul aoû sep oct nov déc",
            weekdays: "lundi mardi mercredi jeudi vendredi samedi dimanche",
            shortWeekdays: "lun mar mer jeu ven sam dim",
            parts: ["Nuit, 0 à 6", "Matin, 6 à 12", "Après-midi, 12 à 18", "Soir, 18 à 24"],
            bands: ["très désagréable", "désagréable", "entre les deux", "agréable", "très agréable"],
            unknown: "inconnu", gap: "aucune humeur",
            titles: .init(
                summary: "Résumé", report: "Rapport", moods: "Humeurs", course: "Évolution", feelings: "Sentiments",
                tags: "Étiquettes", weekdays: "Jours de la semaine", parts: "Moments de la journée",
                onThisDay: "Ce jour-là", pixels: "{year} en pixels"),
            sentences: .init(
                none: "Il n’y a pas d’humeur ici.",
                overview: "Du {first} au {last} : {moods} sur {days}, {favorites}.",
                pleasant: "Agrément : {average} en moyenne ({band}), dispersion {spread}{estimated}.",
                estimated: " ; {count} d’après la palette", before: "Avant, du {first} au {last} : {moods}{average}.",
                beforeAverage: ", {average} en moyenne", swings: "D’un jour à l’autre, cela change de {number}.",
                row: "À la suite : {now} maintenant ; {most} au plus, du {first} au {last}.",
                warning:
                    "Humeurs avec une étiquette, comparées à celles sans elle. Ce qui va ensemble n’est pas toujours la cause.",
                counted: "Combien d’humeurs, et si elles étaient agréables.",
                course: "Si c’était agréable, de \u{2212}1 à 1 ; un vide où il n’y a pas d’humeur.",
                year: "Chaque jour de l’année comme un carré ; {days} avec des humeurs.",
                month: "Chaque jour du mois ; {days} avec des humeurs.", compared: "{with} avec, {without} sans"),
            table: .init(
                asTable: "En tableau", day: "Jour", moods: "Humeurs", average: "Moyenne", mood: "Humeur", with: "Avec",
                without: "Sans", difference: "Différence", show: "Montrer {count}"),
            mood: .init(one: "humeur", many: "humeurs", isNoneSingular: true),
            day: .init(one: "jour", many: "jours", isNoneSingular: true),
            favorite: .init(one: "favori", many: "favoris", isNoneSingular: true)))
}
