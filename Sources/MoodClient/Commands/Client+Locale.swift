import JSONCodec

/// The language that a person's environment names, for what the client shows: an option and the setting come first. Help and
/// messages are English.
extension Client {
    /// A category of the environment (POSIX.1-2024, 8.2).
    enum LocaleCategory: String {
        case words = "LC_MESSAGES"
        case dates = "LC_TIME"
    }

    /// The locale that the environment names; nil for English as it is without one, and `C`.
    static func locale(_ category: LocaleCategory, _ environment: (String) -> String?) -> String? {
        let names = ["LC_ALL", category.rawValue, "LANG"]
        guard let value = names.lazy.compactMap(environment).first(where: { !$0.isEmpty }) else { return nil }
        // `de_AT.UTF-8@euro`: the encoding and the variant are not about words.
        let name = String(value.prefix { $0 != "." && $0 != "@" })
        return ["C", "POSIX", "en_US", ""].contains(name) ? nil : name
    }

    /// The locale that the environment names, where the setting names none.
    func environmentLocale(_ category: LocaleCategory) -> String? {
        guard !isEnvironmentLocaleUnknown, let locale = Self.locale(category, console.environment),
            settings()["locale"]?.string == nil
        else { return nil }
        return locale
    }

    /// A call whose answer is in the language of `--locale`, the setting or the environment. One of the environment that the host
    /// does not know is no error.
    func call(
        _ method: String, _ params: [JSONValue.Member], in category: LocaleCategory
    ) throws(ClientError) -> [UInt8] {
        guard !params.contains(where: { $0.name == "locale" }), let locale = environmentLocale(category) else {
            return try call(method, params)
        }
        do throws(ClientError) {
            return try call(method, params + [.init("locale", .string(locale))])
        } catch {
            guard case .remote(let failure) = error, failure.data?["path"]?.string == "/locale" else { throw error }
            isEnvironmentLocaleUnknown = true
            return try call(method, params)
        }
    }
}
