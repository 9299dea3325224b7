import JSONCodec

extension JSONWriter {
    /// Begins the answer to a request; the result follows, then `endResponse`.
    /// - Parameter id: the request's id as written; nil for an answer to a message without a readable id.
    @inlinable @inline(__always)
    public mutating func beginResponse(id: UnsafeRawBufferPointer?) {
        buffer.append("{\"jsonrpc\":\"2.0\",\"id\":" as StaticString)
        if let id { buffer.append(id) } else { buffer.append("null" as StaticString) }
        buffer.append(",\"result\":" as StaticString)
    }

    @inlinable @inline(__always)
    public mutating func endResponse() { buffer.append(UInt8(ascii: "}")) }

    /// Writes a whole error answer.
    public mutating func errorResponse(id: UnsafeRawBufferPointer?, _ error: RPCError) {
        buffer.append("{\"jsonrpc\":\"2.0\",\"id\":" as StaticString)
        if let id { buffer.append(id) } else { buffer.append("null" as StaticString) }
        buffer.append(",\"error\":" as StaticString)
        error.write(to: &self)
        buffer.append(UInt8(ascii: "}"))
    }

    /// Writes a whole request, or a notification if `id` is nil.
    public mutating func request(id: JSONValue?, method: String, params: JSONValue?) {
        buffer.append("{\"jsonrpc\":\"2.0\"" as StaticString)
        if let id {
            key("id")
            id.write(to: &self)
        }
        key("method")
        string(method)
        if let params {
            key("params")
            params.write(to: &self)
        }
        endObject()
    }

    /// Begins a notification; its params follow, then `endResponse`.
    public mutating func beginNotification(method: StaticString) {
        buffer.append("{\"jsonrpc\":\"2.0\",\"method\":\"" as StaticString)
        buffer.append(method)
        buffer.append("\",\"params\":" as StaticString)
    }
}
