/// A day of the Gregorian calendar, without a zone, in the years 1901-2099.
///
/// In these years every fourth is a leap year, which makes the arithmetic short.
struct CivilDate: Equatable {
    var year: Int
    /// 1-12.
    var month: Int
    /// 1-31.
    var day: Int

    /// 1900-03-01 to 1970-01-01. Years are counted from 1 March, so that the leap day ends its year and month lengths
    /// follow one linear rule: 153 days in five months.
    private static let daysBefore1970 = 25_508

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSince1970: Int) {
        let days = daysSince1970 &+ Self.daysBefore1970
        let marchYear = (4 &* days &+ 3) / 1_461
        let dayOfYear = days &- 1_461 &* marchYear / 4
        let monthFromMarch = (5 &* dayOfYear &+ 2) / 153
        day = dayOfYear &- (153 &* monthFromMarch &+ 2) / 5 &+ 1
        month = monthFromMarch < 10 ? monthFromMarch &+ 3 : monthFromMarch &- 9
        year = 1_900 &+ marchYear &+ (monthFromMarch < 10 ? 0 : 1)
    }

    var daysSince1970: Int {
        let marchYear = month > 2 ? year &- 1_900 : year &- 1_901
        let monthFromMarch = month > 2 ? month &- 3 : month &+ 9
        return 1_461 &* marchYear / 4 &+ (153 &* monthFromMarch &+ 2) / 5 &+ day &- 1 &- Self.daysBefore1970
    }

    /// Months since year 0, so that months can be subtracted as numbers.
    var monthNumber: Int { year &* 12 &+ month }

    var daysInMonth: Int {
        switch month {
        case 2: year & 3 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
