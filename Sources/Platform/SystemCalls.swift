import CPlatform

#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Darwin)
    @_exported import Darwin
#endif

/// The system's words for an error number.
func errorText(_ code: Int32) -> String {
    String(cString: strerror(code))
}

/// Runs a call again while a signal interrupts it; bounded, because an interruption that never ends is a fault too.
@inline(__always)
func retryingInterrupted(_ call: () -> Int) -> Int {
    var attempts = 0
    while true {
        let result = call()
        if result >= 0 || cplatform_errno() != EINTR || attempts == 1000 { return result }
        attempts += 1
    }
}
