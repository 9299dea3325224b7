import JSONCodec

/// The language of the client's output from the environment. An option and the setting take precedence. Help and
/// messages are English.
extension Client {
    /// A category of the environment (POSIX.1-2024, 8.2).
    enum LocaleCategory: String {
        case words = "LC_MESSAGES"
        case dates = "LC_TIME"
    }

    /// The locale from the environment; nil for English and `C`.
    static func locale(_ category: LocaleCategory, _ environment: (String) -> String?) -> String? {
        let names = ["LC_ALL", category.rawValue, "LANG"]
        guard let value = names.lazy.compactMap(environment).first(where: { !$0.isEmpty }) else { return nil }
        // Words do not depend on the encoding and the variant, as in `de_AT.UTF-8@euro`.
        let name = String(value.prefix { $0 != "." && $0 != "@" })
        return ["C", "POSIX", "en_US", ""].contains(name) ? nil : name
    }

    /// The locale from the environment, if the setting has none.
    func environmentLocale(_ category: LocaleCategory) -> String? {
        guard !isEnvironmentLocaleUnknown, let locale = Self.locale(category, console.environment),
            settings()["locale"]?.string == nil
        else { return nil }
        return locale
    }

    /// A call whose answer is in the language of `--locale`, the setting or the environment. If the host does not know
    /// the environment's locale, it is left out.
    func call(
        _ method: String, _ params: Params, in category: LocaleCategory
    ) throws(ClientError) -> [UInt8] {
        guard params["locale"] == nil, let locale = environmentLocale(category) else {
            return try call(method, params)
        }
        do throws(ClientError) {
            return try call(method, params + ["locale": locale])
        } catch {
            guard case .remote(let failure) = error, failure.data?["path"]?.string == "/locale" else { throw error }
            isEnvironmentLocaleUnknown = true
            return try call(method, params)
        }
    }
}
