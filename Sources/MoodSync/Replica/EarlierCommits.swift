import JSONCodec
import MoodStore
import Platform

/// The checksums of the commits before a setup, whose moods are in its record: `{"first":N,"commits":"…","crc":"…"}`,
/// eight digits a commit. If the store is put back to a time before its setup, they tell which of its commits are new.
enum EarlierCommits {
    /// More are not kept: 8 MB of digits.
    private static let countMax = 1 << 20
    private static let digits = 8

    static func write(
        of moods: inout MoodRecords, to path: String, by temporary: String, in fileSystem: FileSystem
    ) throws(SyncError) {
        let kept = (try? moods.shortenHistory(to: nil)) ?? 1
        let first = max(moods.durableRevision - countMax + 1, kept, 1)
        var text = ""
        _ = moods.commits(after: first - 1) { commit in
            text += Seal.text(commit.crc)
            return true
        }
        var line = ByteBuffer(capacity: text.utf8.count + 64)
        line.append(utf8: #"{"first":\#(first),"commits":"\#(text)""#)
        let bytes = Seal.sealed(&line)
        do throws(SystemError) { try fileSystem.replaceWhole(path, by: temporary) { _ in bytes } } catch {
            throw SyncPlace.error(error)
        }
    }

    /// The last of these commits that the store has, 0 if it has others; nil if nothing can be compared.
    static func last(
        in moods: inout MoodRecords, _ path: String, in fileSystem: FileSystem
    ) throws(SyncError) -> Int? {
        let bytes: [UInt8]?
        do throws(SystemError) { bytes = try fileSystem.readWhole(path) } catch { throw SyncPlace.error(error) }
        guard let bytes, bytes.withUnsafeBytes({ Seal.content(of: $0) != nil }),
            let value = try? JSONValue.parse(bytes), let first = value["first"]?.integer, first > 0,
            let digits = value["commits"]?.string
        else { return nil }
        var (last, rest): (Int?, Substring.UTF8View) = (nil, digits.utf8[...])
        _ = moods.commits(after: first - 1) { commit in
            let isNext = rest.count >= Self.digits
            let isSame = isNext && Array(rest.prefix(Self.digits)) == Array(Seal.text(commit.crc).utf8)
            if isNext { last = isSame ? commit.seq : last ?? 0 }
            rest = rest.dropFirst(Self.digits)
            return isNext
        }
        return last
    }
}
