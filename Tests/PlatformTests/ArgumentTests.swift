import Testing

@testable import Platform

@Suite struct ArgumentTests {
    /// The runtime finds them in another way.
    @Test func areThoseOfTheRuntime() {
        #expect(Terminal.arguments() == CommandLine.arguments)
        #expect(Array(ProcessFacts.arguments) == Array(CommandLine.arguments.dropFirst()))
        #expect(!CommandLine.arguments.isEmpty)
    }
}
