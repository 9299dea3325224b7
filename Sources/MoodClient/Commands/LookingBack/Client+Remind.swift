extension Command {
    static let remind = Command(
        "remind", "Print what reminds you each day; nothing is installed.", Client.remind,
        .word("TIME", "When, such as 21:00 or 9pm."),
        .option(
            "as", .choice("KIND", ["systemd", "cron", "ics"]),
            "A timer of systemd (default), a line of a crontab, or a calendar entry."),
        .note("MoodBoard has no process that runs all day; what reminds you is your system's own."),
        .example("mood remind 21:00", "Two files for systemd, and what to do with them."),
        .example("mood remind 9pm --as cron", "A line for 'crontab -e'."),
        .example("mood remind 21:00 --as ics > reminder.ics", "For a calendar."))
}

extension Client {
    func remind() throws(ClientError) {
        guard let (hour, minute) = Self.clock(invocation.words[0]) else {
            throw usage("'\(invocation.words[0])' is no time of day; it is written 21:00, 9pm or 9:30pm.")
        }
        let time = Moment.padded(hour, 2) + ":" + Moment.padded(minute, 2)
        switch invocation.value("as") ?? "systemd" {
        case "cron":
            try print("\(minute) \(hour) * * * notify-send 'MoodBoard' 'How are you?'\n")
        case "ics":
            guard let now = console.localTime(console.now()) else { throw unexpected() }
            let day = now.date.filter { $0 != "-" }
            let clock = Moment.padded(hour, 2) + Moment.padded(minute, 2) + "00"
            let stamp = Moment(secondsSince1970: console.now()).rfc3339.filter { $0 != "-" && $0 != ":" }
            let lines = [
                "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//MoodBoard//mood//EN", "BEGIN:VEVENT",
                "UID:reminder-\(clock)@moodboard", "DTSTAMP:\(stamp)", "DTSTART:\(day)T\(clock)", "DURATION:PT5M",
                "RRULE:FREQ=DAILY", "SUMMARY:How are you?", "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:PT0M",
                "DESCRIPTION:How are you?", "END:VALARM", "END:VEVENT", "END:VCALENDAR",
            ]
            try print(lines.map { $0 + "\r\n" }.joined())
        default:
            try print(
                """
                # ~/.config/systemd/user/mood-remind.service
                [Unit]
                Description=Ask how you are

                [Service]
                Type=oneshot
                ExecStart=notify-send MoodBoard "How are you?"

                # ~/.config/systemd/user/mood-remind.timer
                [Unit]
                Description=Ask how you are each day at \(time)

                [Timer]
                OnCalendar=*-*-* \(time):00
                Persistent=true

                [Install]
                WantedBy=timers.target

                """)
            tell("Save both files, then: systemctl --user enable --now mood-remind.timer")
        }
    }

    /// Reads `21:00`, `9pm` or `9:30 pm`.
    static func clock(_ text: String) -> (hour: Int, minute: Int)? {
        var text = text.lowercased().filter { !$0.isWhitespace }[...]
        let half: Int? = text.hasSuffix("pm") ? 12 : text.hasSuffix("am") ? 0 : nil
        if half != nil { text = text.dropLast(2) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, parts.count == 2 || half != nil,
            parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 &- 48 < 10 } }),
            let hour = Int(first), let minute = parts.count == 2 ? Int(parts[1]) : 0, minute < 60
        else { return nil }
        guard let half else { return hour < 24 ? (hour, minute) : nil }
        return (1...12).contains(hour) ? (hour % 12 + half, minute) : nil
    }
}
