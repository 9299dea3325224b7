import Testing

@testable import Platform

@Suite struct TerminalTests {
    @Test(arguments: [("/dev/null", "/dev/null"), ("/dev/null/a/b/", "/dev/null")])
    func whatKeepsAPathFromBeingMadeIsNamed(path: String, directory: String) {
        #expect(Terminal.unwritableDirectory(path) == directory)
    }

    @Test func whereOneMayWriteNothingDoes() {
        let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        for path in [base, base + "/no/such/place", base + "//no/"] {
            #expect(Terminal.unwritableDirectory(path) == nil)
        }
    }
}
