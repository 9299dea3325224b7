/// Looking for line feeds from the end.
///
/// Plain loops: `lastIndex(where:)` of the standard library, where the compiler does not specialise it, allocates memory
/// for each byte, and a journal may end in a megabyte of line feeds.
extension UnsafeRawBufferPointer {
    /// How many bytes there are before the line feeds at the end.
    var countWithoutLastLineFeeds: Int {
        var count = count
        while count > 0, self[count - 1] == 0x0A { count -= 1 }
        return count
    }

    /// The offset behind the last line feed in the first `end` bytes; 0 where there is none.
    func lastLineStart(before end: Int) -> Int {
        var start = end
        while start > 0, self[start - 1] != 0x0A { start -= 1 }
        return start
    }
}
