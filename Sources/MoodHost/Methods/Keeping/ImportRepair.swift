import JSONCodec
import MoodCore
import MoodFormats
import MoodProtocol

/// Leaves off the invalid parts of a mood whose time and feeling can be read.
struct ImportRepair: Sendable {
    let limits: Limits
    let options: ImportOptions

    /// The most faults of one mood; a mood has fewer tags, scales and attachments than that.
    private static let faultsMax = 500
    private static let ellipsis = "…"

    /// - Returns: the valid mood with a list of the parts left off; or the fault for which it cannot be kept at all.
    func mended(
        _ mood: ImportedMood, _ first: ImportedMoodRule.Fault
    ) -> (mood: ImportedMood, fault: ImportedMoodRule.Fault?) {
        guard !first.member.isEmpty, var members = JSONValue.members(of: mood.json) else { return (mood, first) }
        var mood = mood
        var fault = first
        for _ in 0..<Self.faultsMax {
            // Converting a time from another notation is no loss.
            if fault.member != "timestamp" || !readTime(&members) {
                guard mend(&members, fault) else { return (mood, fault) }
                var problem = fault.problem(of: mood)
                problem.loss = .part
                mood.leftOff.append(problem)
                // A mood that is there keeps what cannot be read.
                mood.says = (mood.says ?? MoodField.allCases.map { "\($0.name)" }).filter { $0 != fault.member }
            }
            mood.json = Array(JSONValue.object(members).text.utf8)
            guard let next = mood.json.withUnsafeBytes({ ImportedMoodRule.problem(ValidJSON(trusting: $0), limits) })
            else { return (mood, nil) }
            fault = next
        }
        return (mood, fault)
    }

    /// Reads a time in a notation of tables.
    private func readTime(_ members: inout [JSONValue.Member]) -> Bool {
        let value = JSONValue.object(members)
        guard let text = value["timestamp"]?.string,
            let moment = options.moment(text, own: value["timeZone"]?.string)
        else { return false }
        members.set("timestamp", .string(moment.time.text))
        if value["timeZone"] == nil, let zone = moment.zone { members.set("timeZone", .string(zone)) }
        return true
    }

    private func mend(_ members: inout [JSONValue.Member], _ fault: ImportedMoodRule.Fault) -> Bool {
        let value = JSONValue.object(members)
        switch fault.member {
        case "id", "timestamp": return false
        case "emoji":
            guard let label = value["label"]?.string, !label.isEmpty else { return false }
            members.set("emoji", .string(options.feeling(label)?.emoji ?? ImportOptions.plainEmoji))
        case "label":
            let text = value["label"]?.string ?? ""
            let label = shortened(text)
            guard !label.isEmpty else {
                guard let emoji = value["emoji"]?.string, emoji.isEmoji else { return false }
                members.set("label", .string(options.feelings.first { $0.emoji == emoji }?.label ?? emoji))
                return true
            }
            guard label != text else { return false }
            members.set("label", .string(label))
            // Nothing is lost: the notes keep the whole text.
            if label.hasSuffix(Self.ellipsis) {
                let notes = value["notes"]?.string ?? ""
                members.set("notes", .string(notes.isEmpty ? text : text + "\n\n" + notes))
            }
        case let name:
            members.leaveOff(name, fault.element, limits)
        }
        return true
    }

    /// A label on one line, at most as long as allowed.
    private func shortened(_ text: String) -> String {
        let line = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
        ).trimmedSpaces
        let charactersMax = limits[.label]
        guard line.count > charactersMax || line.utf8.count > TextRule.labelBytesMax else { return line }
        var short = line.prefix(max(charactersMax - 1, 0))
        while short.utf8.count + Self.ellipsis.utf8.count > TextRule.labelBytesMax { short = short.dropLast() }
        return String(short).trimmedSpaces + Self.ellipsis
    }
}

extension ImportedMoodRule.Fault {
    func problem(of mood: ImportedMood) -> ImportProblem {
        ImportProblem(
            line: mood.line, column: mood.columns[member],
            reason: member.isEmpty ? reason : "\(member) \(reason).", text: mood.text)
    }
}

extension [JSONValue.Member] {
    fileprivate mutating func set(_ name: String, _ value: JSONValue) {
        if let place = firstIndex(where: { $0.name == name }) {
            self[place] = JSONValue.Member(name, value)
        } else {
            append(JSONValue.Member(name, value))
        }
    }

    /// Removes an element of a member, or the excess elements; else the member.
    fileprivate mutating func leaveOff(_ name: String, _ element: String?, _ limits: Limits) {
        guard let place = firstIndex(where: { $0.name == name }) else { return }
        var rest: JSONValue?
        switch self[place].value {
        case .array(var elements):
            let countMax = limits[name == "tags" ? .tags : .attachments]
            if let index = element.flatMap({ Int($0) }), elements.indices.contains(index) {
                elements.remove(at: index)
                rest = .array(elements)
            } else if elements.count > countMax {
                rest = .array(Array<JSONValue>(elements.prefix(countMax)))
            }
        case .object(var parts):
            if let index = parts.firstIndex(where: { $0.name == element }) {
                parts.remove(at: index)
                rest = .object(parts)
            } else if parts.count > Scales.countMax {
                rest = .object(Array<JSONValue.Member>(parts.prefix(Scales.countMax)))
            }
        default: break
        }
        if let rest {
            self[place] = JSONValue.Member(name, rest)
        } else {
            remove(at: place)
        }
    }
}
