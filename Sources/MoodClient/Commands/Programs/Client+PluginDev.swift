import JSONCodec
import Platform

extension Client {
    /// `mood plugin dev`: runs until Ctrl-C, or until stdin ends if that is no terminal.
    func developPlugin(_ argument: String) throws(ClientError) {
        let interruption = try orUnavailable("Ctrl-C cannot be waited for") { () throws(SystemError) in
            try Interruption.install(lastWords: "mood: the plugin did not end in time.\n", code: 1)
        }
        let bench = try pluginBench(argument)
        defer {
            Interruption.settle()
            bench.close()
        }
        tell("Requests are METHOD PARAMS, such as: hello {\"name\":\"you\"}. Ctrl-C ends.")
        let session = try PluginDevSession(bench, runtimes: runtimes(), interruption: interruption) {
            [self] (text) throws(ClientError) in
            try print(text + "\n")
        }
        try session.run()
    }
}
