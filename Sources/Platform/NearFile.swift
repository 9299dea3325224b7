import CPlatform

/// Asks for the memory in which parts of a file lie in the page cache, before they are read: so that a dozen waits for
/// memory happen at the same time, where one read after the other would wait a dozen times.
///
///     var near = NearFile(file, byteCount: size)
///     near?.connect(offset)                    // a system call for every 64 KiB, once
///     near?.bringNear(offset, count: 370)      // a hint, no call; then read as ever
///
/// The file is mapped, but **nothing is ever read through the mapping**: a processor ignores a prefetch of an address
/// that is not there, whereas a read behind the end of a file that was cut short ends the process. So nothing depends on
/// any of this. The mapped pages are the cache's own; they count as the process's shared memory and take none.
public struct NearFile: ~Copyable {
    private static let pageBytes = 4096
    /// What Linux maps around a page that is asked for, as far as it is in the cache (fault_around_bytes).
    private static let windowBytes = 64 << 10
    /// Of larger files nothing is mapped: who looks at a process's memory would take it for much larger than it is.
    private static let byteCountMax = 1 << 30

    private let start: UnsafeMutableRawPointer
    private let byteCount: Int
    /// A bit for each window: whether it was connected.
    private var connected: [UInt64]

    /// - Parameter byteCount: the size of the file.
    /// - Returns: nil where the file is empty, very large or cannot be mapped, and where the system has no use for it.
    public init?(_ file: borrowing File, byteCount: Int) {
        #if os(Linux)
            guard byteCount > 0, byteCount <= Self.byteCountMax, let start = try? file.map(byteCount: byteCount) else {
                return nil
            }
            self.start = start
            self.byteCount = byteCount
            let windows = (byteCount + Self.windowBytes - 1) / Self.windowBytes
            connected = [UInt64](repeating: 0, count: (windows + 63) / 64)
            // No page is read from the disk but those that are asked for.
            madvise(start, byteCount, MADV_RANDOM)
        #else
            return nil
        #endif
    }

    deinit { munmap(start, byteCount) }

    /// Connects the window of a place that is about to be read or was read just now: its page, and those around it that
    /// are in the cache. Where that cannot be done, hints for it do nothing.
    @inline(__always)
    public mutating func connect(_ offset: Int) {
        guard offset >= 0, offset < byteCount else { return }
        let window = offset / Self.windowBytes
        guard connected[window >> 6] >> UInt64(window & 63) & 1 == 0 else { return }
        connected[window >> 6] |= 1 << UInt64(window & 63)
        populate(offset)
    }

    /// Asks for the lines of memory of a range, as far as its window was connected. What lies outside the file is left out.
    @inline(__always)
    public func bringNear(_ offset: Int, count: Int) {
        guard offset >= 0, count > 0, count <= byteCount, offset <= byteCount - count else { return }
        var at = offset & ~63
        while at < offset + count {
            cplatform_prefetch(start + at)
            at += 64
        }
    }

    @inline(never)
    private func populate(_ offset: Int) {
        #if os(Linux)
            // MADV_POPULATE_READ, since Linux 5.14; an older one answers EINVAL, and one read behind the end EFAULT.
            madvise(start + offset / Self.pageBytes * Self.pageBytes, Self.pageBytes, 22)
        #endif
    }
}
