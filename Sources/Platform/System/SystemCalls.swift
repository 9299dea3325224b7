import CPlatform

#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Darwin)
    @_exported import Darwin
#endif

/// The system's text for an error number.
func errorText(_ code: Int32) -> String {
    String(cString: strerror(code))
}

/// Repeats a call while a signal interrupts it; bounded, because endless interruptions are a fault too.
@inline(__always)
func retryingInterrupted(_ call: () -> Int) -> Int {
    var attempts = 0
    while true {
        let result = call()
        if result >= 0 || cplatform_errno() != EINTR || attempts == 1000 { return result }
        attempts += 1
    }
}

/// The C library's `kill`, for types that have a method of that name.
func sendSignal(_ id: pid_t, _ number: Int32) -> Int32 { kill(id, number) }
