/// The meanings of phrases: the phrases of a row, separated by semicolons, have one meaning.
///
///     phrases | moment
///     phrases | start .. end [@ moment]
///
/// A moment is a base, then steps, then what the clock shows:
///
/// - base: `now`; `day`, `week`, `month`, `year`: the date on which the present one begins; `fri`: the latest Friday, today
///   included; `<fri`: the latest before today; `>fri`: the next after today; a date; `W2026-47`: the Monday of a week of ISO 8601;
///   `?11-20`: the latest such date, today included; `?21:30`: the latest time at which the clock shows that;
/// - steps: `+1d`, `-2w`, `-3M`, `+1y` by the calendar, `-2h`, `-30m`, `-90s` by the stopwatch;
/// - clock: `18:00`, `18:00:00.5`; `~` is what it shows now; midnight, if nothing stands there.
enum TimePhraseTable {
    static let text = """
        now; NOW; Now; " now "; at now | now
        today; Today; on today | day .. day +1d @ now
        yesterday; YESTERDAY; on yesterday | day -1d .. day @ day -1d ~
        tomorrow | day +1d .. day +2d @ day +1d ~
        day before yesterday; the day before yesterday | day -2d .. day -1d @ day -2d ~
        yesterday morning; morning yesterday; in the morning yesterday | day -1d 06:00 .. day -1d 12:00 @ day -1d 09:00
        yesterday afternoon; yesterday in the afternoon | day -1d 12:00 .. day -1d 18:00 @ day -1d 15:00
        yesterday evening; Yesterday Evening; last evening; evening yesterday | day -1d 18:00 .. day @ day -1d 20:00
        last night; LAST NIGHT; yesterday night | day -1d 18:00 .. day 06:00 @ day -1d 22:00
        last morning | day -1d 06:00 .. day -1d 12:00 @ day -1d 09:00
        last afternoon | day -1d 12:00 .. day -1d 18:00 @ day -1d 15:00
        this morning; today morning; morning today | day 06:00 .. day 12:00 @ day 09:00
        this afternoon; today in the afternoon | day 12:00 .. day 18:00 @ day 15:00
        this evening; today evening | day 18:00 .. day +1d @ day 20:00
        tonight; this night; today night | day 18:00 .. day +1d 06:00 @ day 22:00
        tomorrow morning | day +1d 06:00 .. day +1d 12:00 @ day +1d 09:00
        tomorrow evening; evening tomorrow | day +1d 18:00 .. day +2d @ day +1d 20:00
        yesterday 9pm; yesterday at 9pm; yesterday, 9 pm; yesterday 21:00; 9pm yesterday; at 9 PM yesterday | day -1d 21:00
        yesterday noon; noon yesterday; yesterday 12pm; yesterday at 12:00 pm | day -1d 12:00
        yesterday midnight; yesterday 12am; yesterday 00:00; yesterday 0:00 | day -1d 00:00
        yesterday 21:30:15; yesterday 9:30:15pm | day -1d 21:30:15
        yesterday 21:30:15.5; yesterday 21:30:15.500; yesterday 21:30:15.5009 | day -1d 21:30:15.5
        today 9am; today at 9 am; 9am today; today 09:00; today 9:00 | day 09:00
        today 1pm; today 13:00; today, 13:00 | day 13:00
        tomorrow 7:15am; tomorrow at 07:15 | day +1d 07:15
        day before yesterday 8pm | day -2d 20:00
        yesterday 21.30; 21.30 yesterday | day -1d 21:30
        20.11.2026; 2026/11/20; 20261120; 20/11/2026; 11/20/2026; on 20.11.2026 | 2026-11-20 .. 2026-11-21 @ 2026-11-20 ~
        5.5.2026; 05/05/2026; 2026/5/5 | 2026-05-05 .. 2026-05-06 @ 2026-05-05 ~
        20.11.2026 21.30; 21:30 20.11.2026; 2026/11/20 9:30pm; 20261120T2130; 20261120T21:30 | 2026-11-20 21:30
        two days ago; Two Days Ago | day -2d ~
        twelve weeks ago | day -12w ~
        one hour ago; one hour | now -1h
        last seven days | day -6d .. day +1d
        this mon; this monday | week .. week +1d @ week ~
        this sun | week +6d .. week +1w @ week +6d ~
        this fri 9pm; this friday at 21.00 | week +4d 21:00
        9pm; 21:00; 9 pm; at 9pm; 9:00pm; 9:00 PM; 21:00:00 | ?21:00
        21:30; 9:30pm; 9:30 pm; at 21:30 | ?21:30
        0:00; 00:00; midnight; 12am; 12 am; 12:00am | ?00:00
        noon; 12pm; 12:00; 12:00pm; at noon | ?12:00
        1am; 01:00; 1:00 | ?01:00
        12:30am; 0:30; 00:30 | ?00:30
        12:30pm; 12:30 | ?12:30
        23:59; 11:59pm | ?23:59
        7:05; 07:05; 7:05am; 7:05 am | ?07:05
        mon; monday; Monday; MON; on monday | mon .. mon +1d @ mon ~
        tue; tues; tuesday | tue .. tue +1d @ tue ~
        wed; wednesday | wed .. wed +1d @ wed ~
        thu; thur; thurs; thursday | thu .. thu +1d @ thu ~
        fri; friday; Fri; on friday; on the fri | fri .. fri +1d @ fri ~
        sat; saturday | sat .. sat +1d @ sat ~
        sun; sunday; Sunday | sun .. sun +1d @ sun ~
        last mon; last monday | <mon .. <mon +1d @ <mon ~
        last tue; last tuesday; past tue? | <tue .. <tue +1d @ <tue ~
        last wed; last wednesday | <wed .. <wed +1d @ <wed ~
        last thu; last thursday | <thu .. <thu +1d @ <thu ~
        last fri; last friday; Last Friday | <fri .. <fri +1d @ <fri ~
        last sat; last saturday | <sat .. <sat +1d @ <sat ~
        last sun; last sunday | <sun .. <sun +1d @ <sun ~
        next fri; next friday | >fri .. >fri +1d @ >fri ~
        next mon | >mon .. >mon +1d @ >mon ~
        last fri 9pm; last friday at 9 pm; 9pm last fri; last fri 21:00 | <fri 21:00
        fri 9pm; friday at 21:00; 9pm fri; 9pm on friday | fri 21:00
        mon 8am; 8am mon; monday 08:00 | mon 08:00
        fri evening; friday evening; fri in the evening | fri 18:00 .. fri +1d @ fri 20:00
        sun morning; morning sun | sun 06:00 .. sun 12:00 @ sun 09:00
        last sat afternoon | <sat 12:00 .. <sat 18:00 @ <sat 15:00
        last fri night | <fri 18:00 .. <fri +1d 06:00 @ <fri 22:00
        90s; 90s ago; 90 s; 90 seconds ago; 90 sec ago; 1m30s; 1m30s ago; 1 minute 30 seconds ago | now -90s
        1h30m; 1h30m ago; 1h 30m ago; 1 hour 30 minutes; 1 hour and 30 minutes ago; 90m; 90 minutes ago; 1.5h; 1.5 hours ago | now -90m
        2h; 2h ago; 2 hours; 2 hours ago; 2 hrs ago; 2 hr; 120m | now -2h
        an hour ago; 1h; 1 hour ago; a hour ago; 60 min ago | now -1h
        half an hour ago; half an hour; 30m; 30 mins ago | now -30m
        a minute ago; 1 minute ago; 1m; 60s; 1 min | now -1m
        a second ago; 1s; 1 sec | now -1s
        0s; 0 minutes ago | now
        48h; 48 hours ago | now -48h
        in 2 hours; in 2h; in 120 minutes | now +2h
        in 3 days | day +3d ~
        in 1000 days | day +1000d ~
        in an hour; in 1h | now +1h
        1d; 1 day ago; a day ago; 1 day | day -1d ~
        2d; 2 days ago; 2 days; 2d ago | day -2d ~
        3 days ago; 3d | day -3d ~
        a week ago; 1w; 1 week ago; 7 days ago; 1 wk ago | day -1w ~
        2 weeks ago; 2w; 2 weeks; 14 days ago; 2 wks ago; 1 week 7 days ago; a week and 7 days ago | day -2w ~
        a month ago; 1mo; 1 month ago; 1 month | day -1M ~
        3 months ago; 3mo | day -3M ~
        a year ago; 1y; 1 year ago; 12 months ago; 1 yr ago | day -1y ~
        2 years ago; 2y; 2 yrs | day -2y ~
        3 days ago 9pm; 9pm 3 days ago; 3 days ago at 21:00 | day -3d 21:00
        2 days ago evening; evening 2 days ago | day -2d 18:00 .. day -1d @ day -2d 20:00
        a week ago morning | day -1w 06:00 .. day -1w 12:00 @ day -1w 09:00
        this week; This Week | week .. week +1w
        last week; past week?; Last week | week -1w .. week
        next week | week +1w .. week +2w
        this month | month .. month +1M
        last month | month -1M .. month
        next month | month +1M .. month +2M
        this year | year .. year +1y
        last year | year -1y .. year
        next year | year +1y .. year +2y
        last 7 days; past 7 days; last 1 week; past 1 week; last 7d | day -6d .. day +1d
        last 30 days; the last 30 days; in the last 30 days | day -29d .. day +1d
        last 2 weeks; past 14 days | day -13d .. day +1d
        last 1 day | day .. day +1d @ now
        last 24 hours; past 24h; last 24h | now -24h .. now
        last 90 minutes | now -90m .. now
        2026 | 2026-01-01 .. 2027-01-01
        2024; in 2024 | 2024-01-01 .. 2025-01-01
        1999 | 1999-01-01 .. 2000-01-01
        2026-11; in 2026-11 | 2026-11-01 .. 2026-12-01
        2024-02 | 2024-02-01 .. 2024-03-01
        2025-02 | 2025-02-01 .. 2025-03-01
        2026-12 | 2026-12-01 .. 2027-01-01
        2026-11-20; on 2026-11-20 | 2026-11-20 .. 2026-11-21 @ 2026-11-20 ~
        2024-02-29 | 2024-02-29 .. 2024-03-01 @ 2024-02-29 ~
        1950-06-15 | 1950-06-15 .. 1950-06-16 @ 1950-06-15 ~
        2150-06-15 | 2150-06-15 .. 2150-06-16 @ 2150-06-15 ~
        2026-11-20 10:00; 2026-11-20T10:00; 2026-11-20t10:00; 2026-11-20 10am; 2026-11-20, 10:00; 2026-11-20 at 10:00; 10:00 2026-11-20 | 2026-11-20 10:00
        2026-11-20 10:00:30; 2026-11-20T10:00:30 | 2026-11-20 10:00:30
        2026-11-20T10:00:30.25; 2026-11-20 10:00:30.250999 | 2026-11-20 10:00:30.25
        2026-11-20 evening; evening of 2026-11-20 | 2026-11-20 18:00 .. 2026-11-21 @ 2026-11-20 20:00
        2026-11-20 9pm; 9pm on 2026-11-20; 2026-11-20 9 pm | 2026-11-20 21:00
        2026-11-20 noon | 2026-11-20 12:00
        2026-11-20 night | 2026-11-20 18:00 .. 2026-11-21 06:00 @ 2026-11-20 22:00
        2026-W47; 2026w47; 2026W47; week 47 2026; Week 47, 2026 | W2026-47 .. W2026-47 +1w
        2026-W01; week 1 2026 | W2026-1 .. W2026-1 +1w
        2020-W53; week 53 2020 | W2020-53 .. W2020-53 +1w
        2025-W52 | W2025-52 .. W2025-52 +1w
        2026-W47-1 | W2026-47 .. W2026-47 +1d @ W2026-47 ~
        2026-W47-5; 2026W475 | W2026-47 +4d .. W2026-47 +5d @ W2026-47 +4d ~
        2026-W47-7 20:00 | W2026-47 +6d 20:00
        nov 2026; november 2026; in november 2026; November 2026 | 2026-11-01 .. 2026-12-01
        feb 2024; February 2024 | 2024-02-01 .. 2024-03-01
        sept 2025; sep 2025; september 2025 | 2025-09-01 .. 2025-10-01
        20 nov 2026; nov 20 2026; nov 20, 2026; 20th november 2026; November 20th, 2026; 20th of november 2026? | 2026-11-20 .. 2026-11-21 @ 2026-11-20 ~
        1 jan 2026; jan 1st 2026; 1st january 2026 | 2026-01-01 .. 2026-01-02 @ 2026-01-01 ~
        2nd may 2025; may 2 2025 | 2025-05-02 .. 2025-05-03 @ 2025-05-02 ~
        3rd aug 2025 9pm; aug 3 2025 at 21:00 | 2025-08-03 21:00
        nov 20; 20 nov; 20th november; on nov 20 | ?11-20 .. ?11-20 +1d @ ?11-20 ~
        feb 29; 29 february | ?02-29 .. ?02-29 +1d @ ?02-29 ~
        jan 1 8am; 8am 1 jan; 1 january 08:00 | ?01-01 08:00
        dec 24 evening; 24 december evening | ?12-24 18:00 .. ?12-24 +1d @ ?12-24 20:00
        """
}
