import Platform
import Testing

@testable import MoodHost

@Suite struct DeliveryTests {
    /// Two hosts, as far as the lock on a file shows.
    @Test func onlyTheHostThatHoldsTheLeaseTellsThePlugin() throws {
        let directory = TestDirectory()
        try FileSystem.system.makeDirectory(directory.path)
        let path = directory.path + "/org.example.notes.lease"
        directory.write("org.example.notes.lease", "00000000000000000007\n")
        var first: PluginDelivery? = PluginDelivery(path, from: 3)
        let second = PluginDelivery(path, from: 3)
        #expect(first?.isOurs(at: 1000) == true)
        #expect(first?.acknowledged == 7)
        #expect(!second.isOurs(at: 1000))
        #expect(second.acknowledged == nil)
        // The file shows it to every host.
        #expect(first?.lastAcknowledged == 7 && second.lastAcknowledged == 7)
        #expect(PluginDelivery(directory.path + "/none", from: 3).lastAcknowledged == 3)
        first = nil
        // It looks once a second.
        #expect(!second.isOurs(at: 1999))
        #expect(second.isOurs(at: 2000))
        #expect(second.acknowledged == 7)
    }

    @Test(arguments: [("", 9), ("00000000000000000007\n", 9), ("00000000000000000012\n", 12)])
    func isToldOfNothingFromBeforeTheTrust(lease: String, acknowledged: Int) throws {
        let directory = TestDirectory()
        try FileSystem.system.makeDirectory(directory.path)
        directory.write("lease", lease)
        let delivery = PluginDelivery(directory.path + "/lease", from: 9)
        #expect(delivery.isOurs(at: 0))
        #expect(delivery.acknowledged == acknowledged)
    }
}
