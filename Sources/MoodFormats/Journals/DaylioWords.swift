/// The words of Daylio in its languages. A file's weekdays show its language, and that gives the names of its five
/// moods.
enum DaylioWords {
    /// One of the five groups that every mood of Daylio belongs to.
    struct Group: Sendable {
        let emoji: String
        let valence: String
    }

    private static let groups = [
        Group(emoji: "😄", valence: "1"), Group(emoji: "🙂", valence: "0.5"), Group(emoji: "😐", valence: "0"),
        Group(emoji: "🙁", valence: "-0.5"), Group(emoji: "😣", valence: "-1"),
    ]

    struct Language: Sendable {
        let weekdays: Set<String>
        /// Groups by folded name.
        let moods: [String: Group]

        /// - Parameter moods: the names of each group, separated by `/`, from the best.
        init(_ weekdays: String, _ moods: String) {
            self.weekdays = Set(weekdays.split(separator: " ").map { Folded.text(String($0)) })
            var byName: [String: Group] = [:]
            for (group, names) in zip(groups, moods.split(separator: "|")) {
                for name in names.split(separator: "/") { byName[Folded.text(String(name).trimmedSpaces)] = group }
            }
            self.moods = byName
        }
    }

    static let english = languages[0].moods

    /// The language with the most weekdays among some folded words; nil if none has any.
    static func language(ofWeekdays words: Set<String>) -> Language? {
        var best: (language: Language, count: Int)?
        for language in languages {
            let count = language.weekdays.intersection(words).count
            if count > best?.count ?? 0 { best = (language, count) }
        }
        return best?.language
    }

    private static let languages = [
        Language(
            "Monday Tuesday Wednesday Thursday Friday Saturday Sunday", "rad | good | meh | bad | awful"),
        Language(
            "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonnabend Sonntag",
            "super | gut | ok/okay | schlecht | lausig"),
        Language(
            "lundi mardi mercredi jeudi vendredi samedi dimanche",
            "super/génial/excellent/radieux | bien/bon | bof/moyen/ok | mauvais/mal/pas bien | horrible/affreux/terrible"
        ),
        Language(
            "lunes martes miércoles jueves viernes sábado domingo",
            "genial/increíble/fantástico/radiante | bien/bueno | meh/regular/normal/más o menos | mal/malo"
                + " | horrible/terrible/fatal/pésimo"),
        Language(
            "maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai",
            "mahtava/loistava/upea | hyvä | ok/meh/kohtalainen/ihan ok | huono | kamala/kauhea/surkea"),
        Language(
            "lunedì martedì mercoledì giovedì venerdì sabato domenica",
            "fantastico/ottimo/super | bene/buono | così così/meh/ok | male/cattivo | terribile/orribile/pessimo"),
        Language(
            "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
            "radiante/incrível/ótimo/óptimo | bem/bom | mais ou menos/meh/ok | mal/ruim/mau | horrível/péssimo/terrível"
        ),
        Language(
            "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
            "super/geweldig/top | goed | meh/matig/oké/ok | slecht | vreselijk/verschrikkelijk/afschuwelijk"),
        Language(
            "poniedziałek wtorek środa czwartek piątek sobota niedziela",
            "super/świetnie/ekstra | dobrze/dobry | tak sobie/średnio/ok/meh | źle/kiepsko | okropnie/fatalnie"),
        Language(
            "понедельник вторник среда четверг пятница суббота воскресенье",
            "супер/отлично/прекрасно | хорошо | так себе/нормально/средне | плохо | ужасно"),
        Language(
            "måndag tisdag onsdag torsdag fredag lördag söndag",
            "super/toppen/fantastisk | bra | okej/ok/sådär | dålig/dåligt | hemsk/hemskt/usel"),
        Language(
            "mandag tirsdag onsdag torsdag fredag lørdag søndag",
            "super/fantastisk/topp | god/godt/bra | ok/okay/meh | dårlig/dårligt | forfærdelig/forferdelig/elendig"),
        Language(
            "pondělí úterý středa čtvrtek pátek sobota neděle",
            "super/skvělá/skvěle | dobrá/dobře | ujde to/nic moc/ok | špatná/špatně | hrozná/hrozně/strašná"),
        Language(
            "hétfő kedd szerda csütörtök péntek szombat vasárnap",
            "szuper/remek | jó | közepes/elmegy/ok | rossz | szörnyű/borzalmas"),
        Language(
            "pazartesi salı çarşamba perşembe cuma cumartesi pazar",
            "harika/süper/mükemmel | iyi | idare eder/şöyle böyle | kötü | berbat"),
        Language("月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日", "最高 | 良い/いい | 普通/まあまあ | 悪い | 最悪"),
        Language("星期一 星期二 星期三 星期四 星期五 星期六 星期日", "很棒/超棒 | 好/不錯/不错 | 一般/還好/还好 | 差/不好 | 糟糕/很差"),
        Language("월요일 화요일 수요일 목요일 금요일 토요일 일요일", "최고 | 좋음 | 보통/그저 그럼 | 나쁨 | 끔찍함/최악"),
    ]
}
