/// The names of months and weekdays in the program's five languages, whole and shortened, as in files.
public enum DateWords {
    /// The month, 1-12; nil for another word.
    public static func month(_ word: some StringProtocol) -> Int? { months[plain(word)] }

    public static func isWeekday(_ word: some StringProtocol) -> Bool { weekdays.contains(plain(word)) }

    private static func plain(_ word: some StringProtocol) -> String {
        let word = word.lowercased()
        return word.last == "." ? String(word.dropLast()) : word
    }

    /// English, German, Spanish, French, Finnish.
    private static let monthNames = [
        "january jan|januar jän jänner|enero ene|janvier janv|tammikuu tammikuuta tammi",
        "february feb|februar|febrero|février févr fév fevrier|helmikuu helmikuuta helmi",
        "march mar|märz mär mrz maerz|marzo|mars|maaliskuu maaliskuuta maalis",
        "april apr|abril abr|avril avr|huhtikuu huhtikuuta huhti", "may|mai|mayo|toukokuu toukokuuta touko",
        "june jun|juni|junio|juin|kesäkuu kesäkuuta kesä", "july jul|juli|julio|juillet juil|heinäkuu heinäkuuta heinä",
        "august aug|agosto ago|août aout|elokuu elokuuta elo",
        "september sep sept|septiembre setiembre|septembre|syyskuu syyskuuta syys",
        "october oct|oktober okt|octubre|octobre|lokakuu lokakuuta loka",
        "november nov|noviembre|novembre|marraskuu marraskuuta marras",
        "december dec|dezember dez|diciembre dic|décembre déc decembre|joulukuu joulukuuta joulu",
    ]

    private static let months: [String: Int] = {
        var months: [String: Int] = [:]
        for (place, names) in monthNames.enumerated() {
            for name in names.split(whereSeparator: { $0 == " " || $0 == "|" }) { months[String(name)] = place + 1 }
        }
        return months
    }()

    private static let weekdays = Set(
        """
        monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
        montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so
        lunes martes miércoles miercoles jueves viernes sábado sabado domingo lun mié mie jue vie sáb sab dom
        lundi mardi mercredi jeudi vendredi samedi dimanche mer jeu ven sam dim
        maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai ma ti ke to pe la su
        maanantaina tiistaina keskiviikkona torstaina perjantaina lauantaina sunnuntaina
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
