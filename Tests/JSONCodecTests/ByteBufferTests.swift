import JSONCodec
import Testing

@Suite struct ByteBufferTests {
    private func contents(_ buffer: borrowing ByteBuffer) -> String { String(decoding: buffer.bytes, as: UTF8.self) }

    private func insert(_ text: StaticString, at offset: Int, into buffer: inout ByteBuffer) {
        buffer.insert(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), at: offset)
    }

    private func overwrite(_ text: StaticString, at offset: Int, in buffer: inout ByteBuffer) {
        buffer.overwrite(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), at: offset)
    }

    @Test func growsAndKeepsWhatIsInIt() {
        var buffer = ByteBuffer(capacity: 0)
        var expected = ""
        let capacity = buffer.capacity
        #expect(capacity >= 16)
        for number in 0..<5_000 {
            buffer.append(integer: number)
            buffer.append(UInt8(ascii: ","))
            buffer.append("é" as StaticString)
            buffer.append(utf8: "x")
            expected += "\(number),éx"
        }
        #expect(contents(buffer) == expected && buffer.count == expected.utf8.count)
        #expect(buffer.capacity < buffer.count * 2 + 256)
    }

    @Test func takesNoMoreMemoryThanItsLimit() {
        for size in [1, 7, 100, 5_000, 1_000_000] {
            var buffer = ByteBuffer(capacity: 16)
            buffer.append(utf8: "abc")
            buffer.limit = 3 + 1_000
            let piece = [UInt8](repeating: 0x78, count: size)
            var written = 3
            var isOver = false
            for _ in 0..<(3_000 / size + 2) {
                piece.withUnsafeBytes { buffer.append($0) }
                written += size
                isOver = isOver || written > 1_003
                #expect(buffer.isOverfull == isOver)
                #expect(isOver || buffer.count == written)
            }
            #expect(buffer.count > 1_003 && buffer.capacity < 1_100)
            buffer.append(word: 1)
            buffer.append(integer: .min)
            buffer.appendZeros(1 << 40)
            buffer.insert(UnsafeRawBufferPointer(start: nil, count: 0), at: 0)
            let capacity = buffer.capacity
            #expect(capacity < 1_100)
            // The earlier bytes are still there, and bytes after the limit is lifted are written.
            buffer.truncate(to: 3)
            buffer.limit = .max
            piece.withUnsafeBytes { buffer.append($0) }
            let text = contents(buffer)
            #expect(text == "abc" + String(repeating: "x", count: size))
        }
    }

    /// A number reserves more room than it takes.
    @Test func fillsItsLimitToTheLastByte() {
        for limit in 1...64 {
            var buffer = ByteBuffer(capacity: 16)
            buffer.limit = limit
            for _ in 0..<limit { buffer.append(integer: 7) }
            let (count, isOverfull) = (buffer.count, buffer.isOverfull)
            #expect(count == limit && !isOverfull)
            buffer.append(integer: 7)
            let isOverfullNow = buffer.isOverfull
            #expect(isOverfullNow)
        }
    }

    @Test func doublesSoThatGrowingIsRare() {
        var buffer = ByteBuffer(capacity: 16)
        var growths = 0
        var capacity = buffer.capacity
        for _ in 0..<100_000 {
            buffer.append(UInt8(0))
            if buffer.capacity != capacity { growths += 1 }
            capacity = buffer.capacity
        }
        #expect(growths <= 14)
    }

    @Test func opensAGap() {
        var buffer = ByteBuffer(copying: Array("ad".utf8))
        insert("bc", at: 1, into: &buffer)
        insert("<", at: 0, into: &buffer)
        insert(">", at: 5, into: &buffer)
        #expect(contents(buffer) == "<abcd>")
        insert("", at: 2, into: &buffer)
        insert("x", at: 7, into: &buffer)
        insert("x", at: -1, into: &buffer)
        #expect(contents(buffer) == "<abcd>", "outside nothing happens")
        insert("a text that is longer than the memory there was at first", at: 3, into: &buffer)
        #expect(contents(buffer) == "<aba text that is longer than the memory there was at firstcd>")
    }

    @Test func overwritesOnlyWhatIsThere() {
        var buffer = ByteBuffer(copying: Array("0123456789".utf8))
        overwrite("abc", at: 0, in: &buffer)
        overwrite("xyz", at: 7, in: &buffer)
        overwrite("###", at: 8, in: &buffer)
        overwrite("#", at: -1, in: &buffer)
        overwrite("#", at: 11, in: &buffer)
        #expect(contents(buffer) == "abc3456xyz")
    }

    @Test func dropsFromBothEnds() {
        var buffer = ByteBuffer(copying: Array("0123456789".utf8))
        buffer.removeFirst(0)
        buffer.removeFirst(-1)
        buffer.removeFirst(3)
        #expect(contents(buffer) == "3456789")
        buffer.truncate(to: 9)
        buffer.truncate(to: 4)
        #expect(contents(buffer) == "3456")
        buffer.removeFirst(9)
        #expect(buffer.bytes.isEmpty)
        buffer.append("again" as StaticString)
        #expect(contents(buffer) == "again")
        buffer.truncate(to: -1)
        #expect(buffer.bytes.isEmpty)
    }

    @Test func givesMemoryBackButNoBytes() {
        var buffer = ByteBuffer(capacity: 1 << 20)
        buffer.append("kept" as StaticString)
        buffer.shrink(toCapacity: 2)
        #expect(buffer.capacity == 1 << 20)
        buffer.shrink(toCapacity: 64)
        #expect(buffer.capacity == 64 && contents(buffer) == "kept")
        buffer.shrink(toCapacity: 128)
        #expect(buffer.capacity == 64)
    }

    @Test func takesWhatIsFilledIn() {
        var buffer = ByteBuffer(capacity: 16)
        let calls: [(written: Int, counted: Int)] = [(5, 5), (0, 0), (-1, 0), (1_000, 100)]
        var count = 0
        for call in calls {
            buffer.append(upTo: 100) { room in
                #expect(room.count == 100)
                for at in 0..<min(max(call.written, 0), 100) { room[at] = 0x61 }
                return call.written
            }
            count += call.counted
            #expect(buffer.count == count)
        }
        #expect(buffer.bytes.allSatisfy { $0 == 0x61 })
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 18_446_744_073_709_551_615, 10_000_000_000_000_000_000] as [UInt])
    func writesEveryUnsignedInteger(_ value: UInt) {
        var buffer = ByteBuffer(capacity: 16)
        buffer.append(unsigned: value)
        #expect(contents(buffer) == String(value))
    }

    @Test func findsTheFirstOffsetAtEveryPlace() {
        // 0x0b and 0x8a differ from the byte sought in one bit, which a borrow could confuse.
        for filler: UInt8 in [0x00, 0x0b, 0x8a, 0x61, 0xff, 0x09] {
            for count in [0, 1, 8, 31, 32, 33, 65] {
                var bytes = [UInt8](repeating: filler, count: count)
                bytes.withUnsafeBytes { #expect($0.firstOffset(of: 0x0a) == nil) }
                for at in 0..<count {
                    bytes[at] = 0x0a
                    if at + 1 < count { bytes[at + 1] = 0x0a }
                    bytes.withUnsafeBytes { bytes in
                        for start in 0...count {
                            let expected = start <= at ? at : start == at + 1 && start < count ? start : nil
                            let actual = bytes.firstOffset(of: 0x0a, from: start)
                            if actual != expected {
                                Issue.record("\(filler) \(count) \(at) from \(start): \(actual ?? -1)")
                            }
                        }
                    }
                    bytes[at] = filler
                    if at + 1 < count { bytes[at + 1] = filler }
                }
            }
        }
        let few: [UInt8] = [0x0a]
        few.withUnsafeBytes { bytes in
            #expect(bytes.firstOffset(of: 0x0a, from: 1) == nil)
            #expect(bytes.firstOffset(of: 0x0a, from: 5) == nil)
            #expect(bytes.firstOffset(of: 0x0a, from: -1) == nil)
        }
        #expect(UnsafeRawBufferPointer(start: nil, count: 0).firstOffset(of: 0) == nil)
    }
}
