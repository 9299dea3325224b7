import Platform

/// A program that a sync waits for, such as git or a filter: it gets bytes and prints bytes.
struct AwaitedProgram {
    enum Failure: Error {
        case notStarted(SystemError)
        /// It took too long, or printed too much.
        case unfinished
        case cancelled
    }

    /// The time between two looks at the cancellation and at the end of the program.
    static let lookMilliseconds = 50
    private static let outputBytesMax = 64 << 20

    /// The program and its arguments, for `env`.
    let words: [String]
    let milliseconds: Int
    /// Whether its stderr is part of its output, and its children end with it.
    let isWhole: Bool
    let isCancelled: @Sendable () -> Bool

    /// Runs it to its end. It is killed if that does not come.
    func run(_ input: [UInt8] = []) throws(Failure) -> (status: ChildProcess.Status?, output: [UInt8]) {
        var child: ChildProcess
        do throws(SystemError) {
            child = try ChildProcess.start(
                path: "/usr/bin/env", arguments: words, output: isWhole ? .pipeWithErrors : .pipe, isLeader: isWhole)
        } catch {
            throw .notStarted(error)
        }
        child.stopWaiting()
        let deadline = Clock.monotonicMilliseconds + milliseconds
        do throws(Failure) {
            let output = try exchange(&child, input, deadline)
            while !child.hasEnded() {
                try check(deadline)
                Clock.sleep(milliseconds: 1)
            }
            return (child.status, output)
        } catch {
            child.kill()
            _ = child.wait()
            throw error
        }
    }

    private func check(_ deadline: Int) throws(Failure) {
        if isCancelled() { throw .cancelled }
        if Clock.monotonicMilliseconds >= deadline { throw .unfinished }
    }

    /// Writes and reads at the same time, because either side may block.
    private func exchange(
        _ child: inout ChildProcess, _ bytes: [UInt8], _ deadline: Int
    ) throws(Failure) -> [UInt8] {
        let (input, output, look) = (EventSources.Name(0), EventSources.Name(1), EventSources.Name(2))
        var sources = EventSources()
        var found: [UInt8] = []
        var sent = 0
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { room.deallocate() }
        if bytes.isEmpty { child.closeInput() } else { sources.listen(to: child.input, as: input, for: .writing) }
        sources.listen(to: child.output, as: output, for: .reading)
        sources.setDeadline(look, at: Clock.monotonicMilliseconds + Self.lookMilliseconds)
        while true {
            let occurrence = sources.next()
            if occurrence == .due(look) {
                try check(deadline)
                // A process that it left behind, such as a shared connection of ssh, may keep the pipe open.
                if child.hasEnded(), PipeEnd.isEmpty(child.output) { return found }
                sources.setDeadline(look, at: Clock.monotonicMilliseconds + Self.lookMilliseconds)
            } else if occurrence == .readable(output) || occurrence == .closed(output) {
                switch PipeEnd.read(child.output, into: room) {
                case nil: continue
                case 0?: return found
                case let count?: found += room[..<count]
                }
                if found.count > Self.outputBytesMax { throw .unfinished }
            } else {
                let count: Int? = bytes.withUnsafeBytes { bytes in
                    PipeEnd.write(UnsafeRawBufferPointer(rebasing: bytes[sent...]), to: child.input)
                }
                sent += count ?? bytes.count
                // The program has closed its input, or all is sent.
                if count == nil || sent >= bytes.count {
                    sources.forget(input)
                    child.closeInput()
                }
            }
        }
    }
}
