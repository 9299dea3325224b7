#if LIBFUZZER
    import FuzzTargets

    // The two functions that libFuzzer calls; libFuzzer has `main`. Its command line is
    //
    //     Fuzz frame|index|journal|json|migration|snapshot [libFuzzer's own arguments]
    //
    // All calls share the target because the interface has no place for it. That is unsafe for concurrent use, and safe
    // here: libFuzzer calls from one thread.
    private nonisolated(unsafe) var target = FuzzTarget(.json)

    /// Removes the target's name from the arguments before libFuzzer reads them.
    @_cdecl("LLVMFuzzerInitialize")
    public func initialize(
        _ argumentCount: UnsafeMutablePointer<Int32>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
    ) -> Int32 {
        guard argumentCount.pointee >= 2, let first = arguments.pointee[1],
            let name = FuzzTarget.Name(rawValue: String(cString: first))
        else { return 0 }
        target = FuzzTarget(name)
        for index in 1..<Int(argumentCount.pointee) { arguments.pointee[index] = arguments.pointee[index + 1] }
        argumentCount.pointee -= 1
        return 0
    }

    @_cdecl("LLVMFuzzerTestOneInput")
    public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
        do throws(Violation) {
            try target.check(Array(UnsafeBufferPointer(start: start, count: count)))
        } catch {
            fatalError(error.description)
        }
        return 0
    }
#endif
