import MCP

/// What an AI client has agreed on while it is connected; a part of the session's state.
struct ModelState {
    /// The revision that `initialize` has agreed on; nil: each request says its own.
    var agreed: Revision?
}
