#!/usr/bin/env python3
"""Writes Sources/MoodCore/Text/SearchFolding+Table.swift from Python's Unicode data.

The form of a character in searches: its canonical decomposition without nonspacing marks (Mn). Hangul syllables are left
out, because they are computed.

    Tests/Scripts/searchfolding.py > Sources/MoodCore/Text/SearchFolding+Table.swift
"""

import unicodedata

WIDTH = 120


def lines(numbers):
    text = "       "
    for number in numbers:
        part = f" 0x{number:X},"
        if len(text) + len(part) > WIDTH:
            yield text
            text = "       "
        text += part
    yield text


def main():
    singles, doubles, marks = [], [], []
    for code in range(0x80, 0x110000):
        if 0xAC00 <= code <= 0xD7A3 or 0xD800 <= code <= 0xDFFF:
            continue
        character = chr(code)
        if unicodedata.category(character) == "Mn":
            if marks and marks[-1] == code - 1:
                marks[-1] = code
            else:
                marks += [code, code]
            continue
        base = [c for c in unicodedata.normalize("NFD", character) if unicodedata.category(c) != "Mn"]
        if base == [character] or not base:
            continue
        if len(base) == 1:
            singles += [code, ord(base[0])]
        elif len(base) == 2:
            doubles += [code, ord(base[0]), ord(base[1])]
        # Ten musical notes have three; they stay unchanged.
    print(f"// Unicode {unicodedata.unidata_version}. Written by Tests/Scripts/searchfolding.py: do not edit.")
    print()
    print("extension SearchFolding {")
    for name, comment, numbers in [
        ("marks", "Nonspacing marks: the first and the last of each run, ascending.", marks),
        ("singles", "A character, and the one that it is searched as, ascending.", singles),
        ("doubles", "A character, and the two that it is searched as, ascending.", doubles),
    ]:
        print(f"    /// {comment}")
        print(f"    static let {name}: [UInt32] = [")
        print("\n".join(lines(numbers)))
        print("    ]")
        if name != "doubles":
            print()
    print("}")


main()
