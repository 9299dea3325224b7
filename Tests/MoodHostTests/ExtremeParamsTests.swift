import JSONCodec
import MoodProtocol
import Seeds
import Testing

@testable import MoodHost

/// Every handler gets the largest and smallest values of its params, and none computes forever.
@Suite struct ExtremeParamsTests {
    private static let values = [
        "9223372036854775807", "-9223372036854775808", "9223372036854775806", "4611686018427387904", "0", "1", "100",
        "1000",
        "1e18", "1e300", "-1e300", "5e-324", "-1", "0.5", "90", "-180", "null", "true", "false", #""""#, #""a""#,
        #""en""#,
        #""0001-01-01T00:00:00+23:59""#, #""0001-01-01T00:00:00Z""#, #""9999-12-31T23:59:59.999Z""#, #""Pacific/Apia""#,
        #""ics""#, #""html""#, #""label""#, #""asc""#, #""main""#, #""😊""#, #"["ID","ID2"]"#,
        #"["mood","nav","store"]"#,
        #""ID""#, #""ID2""#, #"{"name":"menu"}"#, #"{"name":"moodDetail","id":"ID"}"#, #"{"name":"crudList"}"#,
        #"{"latitude":-90,"longitude":180}"#, #"{"from":"0001-01-01T00:00:00Z","to":"9999-12-31T23:59:59.999Z"}"#,
        #"{"label":"L","timestamp":"9999-12-31T23:59:59.999Z","valence":-1}"#, #"{"valence":null}"#,
        #"{"type":"playAudio","moodId":"ID","attachment":1023}"#, #"{"type":"clearAll"}"#, #"{"type":"insertSamples"}"#,
        #""moodboard://mood/ID""#, #"["a","b"]"#, "{}", "[]",
        #"[{"kind":"place","latitude":90,"longitude":-180},{"kind":"image","path":"/a","aspectRatio":1e300}]"#,
        #"""
        [{"kind":"event","title":"E","occurrences":[{"start":"0001-01-01T00:00:00Z","end":"9999-12-31T23:59:59.999Z"}]}]
        """#,
    ].map { $0.replacing("ID2", with: testID(2)).replacing("ID", with: testID(1)) }

    /// Methods on files by users, and those that end the host, are left out.
    private static let left = ["host.shutdown", "store.salvage", "store.reset", "store.accept"]

    /// The values that may reach a handler, for each param.
    private static let methods: [(name: String, fields: [(name: String, isRequired: Bool, values: [String])])] =
        MethodTable().all.compactMap { method in
            if left.contains("\(method.name)") { return nil }
            let fields = method.fields.map { field in
                let session = TestSession()
                let right = values.filter { value in
                    let answer = try? session.call("\(method.name)", "{\"\(field.name)\":\(value)}")
                    return answer?.path?.hasPrefix("/\(field.name)") != true
                }
                return (name: "\(field.name)", isRequired: field.isRequired, values: right)
            }
            return (name: "\(method.name)", fields: fields)
        }

    @Test(arguments: SeededRandom.seeds)
    func everyRequestIsAnswered(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let sessions = [TestSession(), TestSession(TestDirectory())]
        var done = 0
        for number in 0..<1_500 {
            let method = random.pick(Self.methods)
            var params: [String] = []
            for field in method.fields where field.isRequired || random.isOne(in: 2) {
                if !field.values.isEmpty { params.append("\"\(field.name)\":\(random.pick(field.values))") }
            }
            let text = "{\(params.joined(separator: ","))}"
            let answer = try random.pick([0, 1].map { sessions[$0] }).call(method.name, text)
            #expect(answer.kind != "internalError", "\(seed), \(number): \(method.name) \(text): \(answer.text)")
            if answer.outcome == "ok" { done += 1 }
        }
        #expect(done > 500, "\(seed): \(done) of the requests were carried out")
    }
}
