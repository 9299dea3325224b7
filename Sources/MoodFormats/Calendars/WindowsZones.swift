/// Zone names of Windows and Outlook with their IANA zones: the data of CLDR's `windowsZones`, territory 001.
enum WindowsZones {
    static func zone(_ name: String) -> String? { zones[Folded.text(name)] }

    private static let zones: [String: String] = {
        var zones: [String: String] = [:]
        var area: Substring = ""
        for part in table.split(whereSeparator: { $0 == "," || $0.isNewline }) {
            let sides = part.split(separator: "=").map { String($0).trimmedSpaces }
            var name = sides[0]
            if let colon = name.firstIndex(of: ":") {
                area = Substring(name[..<colon])
                name = String(name[name.index(after: colon)...]).trimmedSpaces
            }
            let isWhole = name.hasPrefix("[")
            zones[Folded.text(isWhole ? String(name.dropFirst().dropLast()) : name + " Standard Time")] =
                "\(area)/\(sides[1])"
        }
        return zones
    }()

    /// The zones of each area. After a name stands " Standard Time", unless it is in brackets.
    private static let table = """
        Etc: Dateline=GMT+12, [UTC-11]=GMT+11, [UTC-09]=GMT+9, [UTC-08]=GMT+8, [UTC-02]=GMT+2, Mid-Atlantic=GMT+2,
            [UTC]=UTC, [UTC+12]=GMT-12, [UTC+13]=GMT-13
        America: Aleutian=Adak, Alaskan=Anchorage, [Pacific Standard Time (Mexico)]=Tijuana, Pacific=Los_Angeles,
            US Mountain=Phoenix, [Mountain Standard Time (Mexico)]=Mazatlan, Mountain=Denver, Yukon=Whitehorse,
            Central America=Guatemala, Central=Chicago, [Central Standard Time (Mexico)]=Mexico_City,
            Canada Central=Regina, SA Pacific=Bogota, [Eastern Standard Time (Mexico)]=Cancun, Eastern=New_York,
            Haiti=Port-au-Prince, Cuba=Havana, US Eastern=Indiana/Indianapolis, Turks And Caicos=Grand_Turk,
            Paraguay=Asuncion, Atlantic=Halifax, Venezuela=Caracas, Central Brazilian=Cuiaba, SA Western=La_Paz,
            Pacific SA=Santiago, Newfoundland=St_Johns, Tocantins=Araguaina, E. South America=Sao_Paulo,
            SA Eastern=Cayenne, Argentina=Argentina/Buenos_Aires, Greenland=Nuuk, Montevideo=Montevideo,
            Magallanes=Punta_Arenas, Saint Pierre=Miquelon, Bahia=Bahia
        Pacific: Hawaiian=Honolulu, Marquesas=Marquesas, Easter Island=Easter, West Pacific=Port_Moresby,
            Bougainville=Bougainville, Norfolk=Norfolk, Central Pacific=Guadalcanal, New Zealand=Auckland, Fiji=Fiji,
            Chatham Islands=Chatham, Tonga=Tongatapu, Samoa=Apia, Line Islands=Kiritimati
        Atlantic: Azores=Azores, Cape Verde=Cape_Verde, Greenwich=Reykjavik
        Europe: GMT=London, W. Europe=Berlin, Central Europe=Budapest, Romance=Paris, Central European=Warsaw,
            GTB=Bucharest, E. Europe=Chisinau, FLE=Kiev, Kaliningrad=Kaliningrad, Turkey=Istanbul, Belarus=Minsk,
            Russian=Moscow, Volgograd=Volgograd, Astrakhan=Astrakhan, [Russia Time Zone 3]=Samara, Saratov=Saratov
        Africa: Sao Tome=Sao_Tome, Morocco=Casablanca, W. Central Africa=Lagos, Egypt=Cairo,
            South Africa=Johannesburg, South Sudan=Juba, Sudan=Khartoum, Libya=Tripoli, Namibia=Windhoek,
            E. Africa=Nairobi
        Asia: Jordan=Amman, Middle East=Beirut, Syria=Damascus, West Bank=Hebron, Israel=Jerusalem, Arabic=Baghdad,
            Arab=Riyadh, Iran=Tehran, Arabian=Dubai, Azerbaijan=Baku, Georgian=Tbilisi, Caucasus=Yerevan,
            Afghanistan=Kabul, West Asia=Tashkent, Qyzylorda=Qyzylorda, Ekaterinburg=Yekaterinburg, Pakistan=Karachi,
            India=Calcutta, Sri Lanka=Colombo, Nepal=Katmandu, Central Asia=Bishkek, Bangladesh=Dhaka, Omsk=Omsk,
            Myanmar=Rangoon, SE Asia=Bangkok, Altai=Barnaul, W. Mongolia=Hovd, North Asia=Krasnoyarsk,
            N. Central Asia=Novosibirsk, Tomsk=Tomsk, China=Shanghai, North Asia East=Irkutsk, Singapore=Singapore,
            Taipei=Taipei, Ulaanbaatar=Ulaanbaatar, North Korea=Pyongyang, Transbaikal=Chita, Tokyo=Tokyo,
            Korea=Seoul, Yakutsk=Yakutsk, Vladivostok=Vladivostok, [Russia Time Zone 10]=Srednekolymsk,
            Magadan=Magadan, Sakhalin=Sakhalin, [Russia Time Zone 11]=Kamchatka, Kamchatka=Kamchatka
        Indian: Mauritius=Mauritius
        Australia: W. Australia=Perth, Aus Central W.=Eucla, Cen. Australia=Adelaide, AUS Central=Darwin,
            E. Australia=Brisbane, AUS Eastern=Sydney, Tasmania=Hobart, Lord Howe=Lord_Howe
        """
}
