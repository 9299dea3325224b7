import JSONCodec
import Testing

@testable import MoodCore

@Suite struct AttachmentTests {
    /// Canonical forms: `kind` first, then the members in their declared order, then unknown ones.
    @Test(arguments: [
        #"{"kind":"link","url":"https://a.b"}"#, #"{"kind":"link","url":"https://a.b","title":"T"}"#,
        #"{"kind":"email","address":"a@b.c","label":"L"}"#, #"{"kind":"place","latitude":60.17,"longitude":24.94}"#,
        #"{"kind":"place","latitude":-90,"longitude":180,"label":"L","address":"A"}"#,
        #"{"kind":"image","path":"/a","aspectRatio":1.5,"alt":"x"}"#, #"{"kind":"image","url":"https://a.b"}"#,
        #"{"kind":"audio","path":"/a","title":"T"}"#,
        #"{"kind":"event","title":"T","occurrences":[{"start":"2026-01-02T03:04:05.000Z","end":"2026-01-02T03:04:05.000Z"}],"location":"L","description":"D","hostName":"H","url":"https://a.b"}"#,
        #"{"kind":"relation","moodId":"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b","type":"follows"}"#,
        #"{"kind":"link","url":"https://a.b","later":{"a":[1,null]},"z":1.50}"#,
    ])
    func writesWhatItReadInTheCanonicalForm(text: String) throws {
        let attachment = try #require(Attachment(try JSONValue(parsing: text)))
        #expect(written { attachment.write(to: &$0) } == text)
    }

    @Test(arguments: [
        (#"{"title":"T","url":"https://a.b","kind":"link"}"#, #"{"kind":"link","url":"https://a.b","title":"T"}"#),
        (#"{"kind":"place","longitude":1e1,"latitude":2.0}"#, #"{"kind":"place","latitude":2,"longitude":10}"#),
        (
            #"{"kind":"event","occurrences":[{"end":"2026-01-02T05:04:05+01:00","start":"2026-01-02T03:04:05.1239Z"}],"title":"T"}"#,
            #"{"kind":"event","title":"T","occurrences":[{"start":"2026-01-02T03:04:05.123Z","end":"2026-01-02T04:04:05.000Z"}]}"#
        ),
        (
            #"{"kind":"relation","moodId":"0190B5A0-7C5E-7000-8000-3F2A9C1D4E5B","type":"t"}"#,
            #"{"kind":"relation","moodId":"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b","type":"t"}"#
        ),
    ])
    func bringsOtherFormsIntoTheCanonicalOne(text: String, canonical: String) throws {
        let attachment = try #require(Attachment(try JSONValue(parsing: text)))
        #expect(written { attachment.write(to: &$0) } == canonical)
    }

    @Test(arguments: [
        "{}", "[]", "1", #"{"kind":"video"}"#, #"{"kind":1}"#, #"{"kind":"link"}"#, #"{"kind":"link","url":1}"#,
        #"{"kind":"place","latitude":1}"#, #"{"kind":"image"}"#, #"{"kind":"audio","title":"T"}"#,
        #"{"kind":"event","title":"T"}"#, #"{"kind":"relation","moodId":"x","type":"t"}"#,
    ])
    func refusesWhatIsNone(text: String) throws {
        #expect(Attachment(try JSONValue(parsing: text)) == nil)
    }

    /// An attachment of a later version or an editor survives every change of the mood.
    @Test(arguments: [
        #"{"kind":"video","path":"/a"}"#, #"{"kind":"link","href":"x"}"#, "7", "null",
        #"{"kind":"event","title":"T","occurrences":[{"start":"2026-01-02T03:04:05.000Z","end":"2026-01-02T03:04:05.000Z","room":"B"}]}"#,
        #"{"kind":"event","title":"T","occurrences":[{"start":"soon","end":"late"}]}"#,
    ])
    func keepsInAMoodWhatThisVersionCannotRead(text: String) throws {
        let record = plainRecord.replacing("\"attachments\":[]", with: "\"attachments\":[\(text)]")
        let again = try withMood(record) { mood in
            let mood = try #require(mood)
            return written { mood.write(to: &$0) }
        }
        #expect(again == record)
    }
}
