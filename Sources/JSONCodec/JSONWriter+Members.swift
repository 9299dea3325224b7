/// Members of objects: a name and its value in one call. An optional value that is nil writes nothing.
extension JSONWriter {
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: Int) {
        key(name)
        integer(value)
    }

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        boolean(value)
    }

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: Double) {
        key(name)
        double(value)
    }

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: StaticString) {
        key(name)
        string(value)
    }

    /// (With a label, because a literal would prefer `String` and be escaped at each call.)
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, literal value: StaticString) { member(name, value) }

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: JSONText) {
        key(name)
        string(value)
    }

    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ value: JSONValue) {
        key(name)
        value.write(to: &self)
    }

    /// Writes a value that is already JSON.
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, raw value: UnsafeRawBufferPointer) {
        key(name)
        raw(value)
    }

    /// Writes a value that is already JSON.
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, raw value: StaticString) {
        key(name)
        raw(value)
    }

    @inlinable @inline(__always)
    public mutating func beginObject(_ name: StaticString) {
        key(name)
        beginObject()
    }

    @inlinable @inline(__always)
    public mutating func beginArray(_ name: StaticString) {
        key(name)
        beginArray()
    }

    @inlinable
    public mutating func member(_ name: StaticString, _ value: Double?) { if let value { member(name, value) } }

    @_disfavoredOverload
    @inlinable
    public mutating func member(_ name: StaticString, _ value: StaticString?) { if let value { member(name, value) } }

    @inlinable
    public mutating func member(_ name: StaticString, _ value: Int?) { if let value { member(name, value) } }

    @inlinable
    public mutating func member(_ name: StaticString, _ value: String?) { if let value { member(name, value) } }

    @inlinable
    public mutating func member(_ name: StaticString, _ value: JSONText?) { if let value { member(name, value) } }

    @inlinable
    public mutating func member(_ name: StaticString, _ value: JSONValue?) { if let value { member(name, value) } }

    /// Writes a member whose value is true; none for false.
    @inlinable
    public mutating func member(ifTrue name: StaticString, _ value: Bool) { if value { member(name, true) } }

    /// - Parameter body: writes the members.
    @inlinable @inline(__always)
    public mutating func member<Failure: Error>(
        _ name: StaticString, object body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        beginObject()
        try body(&self)
        endObject()
    }

    /// - Parameter body: writes one element.
    @inlinable @inline(__always)
    public mutating func member<Elements: Sequence>(
        _ name: StaticString, array elements: Elements, _ body: (Elements.Element, inout JSONWriter) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements { body(element, &self) }
        endArray()
    }
}
