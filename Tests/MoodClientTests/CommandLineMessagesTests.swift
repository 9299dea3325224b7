import Testing

@testable import MoodClient

@Suite struct CommandLineMessagesTests {
    @Test(
        arguments: [
            (Command.add, "/emoji", "/emoji must be exactly one emoji.", "The emoji must be exactly one emoji."),
            (.add, "/timestamp", "/timestamp is no time.", "--at is no time."),
            (.add, "/tags/3", "/tags/3 is too long.", "--tag is too long."),
            (.add, "/scales/sl~1eep", "/scales/sl~1eep is no number.", "--scale is no number."),
            (.add, "/opId", "Too long: /opId", "Too long: --op-id"),
            (.edit, "/set/timeZone", "/set/timeZone is unknown.", "--time-zone is unknown."),
            (.edit, "/set/label", "/set/label is empty.", "--label is empty."),
            (.edit, "/filter/label", "/filter/label is empty.", "--where-label is empty."),
            (.list, "/filter/from", "/filter/from is no time.", "--from is no time."),
            (
                .show, "/id", "/id is no id. See mood.list and store.info.",
                "The id is no id. See 'mood list' and 'mood info'."
            ),
            (.show, "/id", "Call 'mood.list', not mood.listing.", "Call 'mood list', not mood.listing."),
        ] as [(Command, String, String, String)])
    func aMessageSpeaksOfOptionsAndCommands(_ command: Command, _ path: String, _ message: String, _ told: String) {
        #expect(CommandLineMessages.text(message, path: path, command: command) == told)
    }

    /// A program's author sends raw requests, and gets errors about params.
    @Test func onlyRPCKeepsThePointers() {
        let error = Canned.error(
            -32602, "invalidParams", "/label is empty; see mood.create.", more: #","path":"/label""#)
        let words = Outside { _, _ in Canned.failure(error) }
        #expect(words.run("add", "😊", "") == .badData)
        #expect(words.error == "mood: The label is empty; see 'mood add'.\n")
        let program = Outside { _, _ in Canned.failure(error) }
        #expect(program.run("rpc", "mood.create") == .badData)
        #expect(program.error == "mood: /label is empty; see mood.create.\n")
    }

    @Test(arguments: ["calendar", "clera", "remov", "rmm", "delet", "cler"])
    func whatDestroysIsNeverSuggested(_ word: String) {
        let outside = Outside()
        #expect(outside.run(word) == .usage)
        for command in Command.all where command.isDestructive {
            for name in [command.name] + command.aliases { #expect(!outside.error.contains("'\(name)'")) }
        }
    }

    @Test func otherSpellingsOfACommandAreTheCommand() {
        for name in ["favorite", "favourite", "fav"] {
            let outside = Outside(["mood.setFavorite": Canned.mood()])
            #expect(outside.run(name, Canned.id) == .success && outside.output.hasPrefix("Favorite: "))
        }
        let removed = Outside(["mood.delete": #"{"deleted":true}"#])
        #expect(removed.run("delete", Canned.id) == .success)
        let outside = Outside()
        #expect(outside.run("help", "ls") == .success && outside.output.contains("ALSO: mood ls"))
        let names = Command.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
    }

    @Test func aZoneThatIsNoneIsSaid() {
        let outside = Outside(["mood.list": Canned.page([Canned.mood()])])
        outside.unknownTimeZone = "Nope/Zone"
        #expect(outside.run("list") == .success)
        #expect(outside.error == "mood: TZ names 'Nope/Zone', which is no time zone here; times are taken as UTC.\n")
    }

    @Test func watchingFromARevisionToComeIsRefused() {
        let outside = Outside([
            "store.info": #"{"path":"/s","revision":7}"#, "events.subscribe": #"{"subscription":"s"}"#,
        ])
        #expect(outside.run("watch", "--since", "8", "-n", "1") == .badData)
        #expect(outside.error.contains("the store is at revision 7"))
        #expect(outside.sent.count == 1)
    }

    @Test(arguments: [60, 80, 100, 200])
    func helpFitsTheTerminal(_ columns: Int) {
        let outside = Outside()
        outside.isOutputTerminal = true
        outside.columns = columns
        #expect(outside.run("--help") == .success)
        // Examples and usage lines are not broken.
        let fixed = ["  mood ", "USAGE"]
        for line in outside.output.split(separator: "\n") where !fixed.contains(where: line.hasPrefix) {
            #expect(DisplayWidth.of(String(line)) <= min(columns, 100), "\(line)")
        }
        for group in Command.groups where !group.commands.isEmpty {
            #expect(outside.output.contains("\n\(group.title):\n"))
        }
    }
}
