#!/usr/bin/env python3
"""Counts what keeps the project readable: lines, files a folder, words of comments and documents, large types.

    house.py [--json] [--check [folders] [comments] [documents]] [--pages] [--comments]

Prints one summary line, then the figures over their limits. `--json` prints everything as one object. `--check` exits with 1
if a limit is exceeded, of the kinds that it names or of all. `--pages` adds a line for each page, with its long sentences,
`--comments` one for each comment that breaks a rule.
Python 3.8 or later, standard library only.
"""
import argparse
import glob
import json
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FILES_A_FOLDER = 12
DOCUMENT_WORDS = 60000
SENTENCE_WORDS = 25
AVERAGE_WORDS = 14
LARGEST_TYPES = 10
KINDS = ("folders", "comments", "documents")

FIRST_WORDS = ("What", "Who", "Where", "Of", "As", "So", "Which")
RULES = {
    "1 begins with What, Who, Where, Of, As, So or Which": re.compile(r"(?:%s)\b" % "|".join(FIRST_WORDS)).match,
    "2 says nobody, somebody or whoever": re.compile(r"\b(?:nobody|somebody|whoever)\b", re.I).search,
    "3 begins with the same": re.compile(r"the same\b", re.I).match,
}


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as opened:
        return opened.read()


def found(*patterns):
    """Paths from the root, sorted within each pattern."""
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
            yield os.path.relpath(path, ROOT).replace(os.sep, "/")


def swift_files():
    return list(found("Sources/**/*.swift"))


def lines_by_module():
    """Lines of Swift, C and headers in each folder of Sources."""
    lines = {}
    for path in found("Sources/**/*.swift", "Sources/**/*.c", "Sources/**/*.h"):
        module = path.split("/")[1]
        lines[module] = lines.get(module, 0) + text(path).count("\n")
    return lines


def files_by_folder():
    """Swift files directly in each folder of Sources."""
    files = {}
    for path in swift_files():
        folder = os.path.dirname(path)
        files[folder] = files.get(folder, 0) + 1
    return files


# MARK: Comments


def comments(source):
    """Each comment as (line, text): lines that follow each other with the same marker are one comment."""
    comment, marker, start = [], None, 0
    for number, line in enumerate(source.split("\n") + [""], 1):
        match = re.match(r"\s*(///|//)(?!/)\s?(.*)", line)
        if match and (marker is None or match.group(1) == marker):
            if not comment:
                start, marker = number, match.group(1)
            comment.append(match.group(2))
            continue
        if comment:
            yield start, " ".join(comment).strip()
        comment, marker = ([match.group(2)], match.group(1)) if match else ([], None)
        start = number


def broken_comments():
    """The number of comments, and for each rule the places of those that break it."""
    count, places = 0, {rule: [] for rule in RULES}
    for path in swift_files():
        for line, comment in comments(text(path)):
            if comment.startswith(("MARK:", "swift-")) or not comment:
                continue
            count += 1
            for rule, breaks in RULES.items():
                if breaks(comment):
                    places[rule].append("%s:%d: %s" % (path, line, comment[:80]))
    return count, places


# MARK: Documents


def sentences(page):
    """Sentences of a page as (words, text, is in a table). Code blocks and tables that a test writes are left out; code in
    a line counts as one word, and so does a link with one word."""
    page = re.sub(r"<!-- made from the declarations: (\w+) -->.*?<!-- \1 end -->", "", page, flags=re.S)
    page = re.sub(r"<!--.*?-->", "", page, flags=re.S)
    blocks, lines, is_code = [], [], False
    for line in page.split("\n") + [""]:
        if line.lstrip().startswith("```"):
            is_code = not is_code
            blocks.append((" ".join(lines), False))
            lines = []
            continue
        if is_code:
            continue
        stripped = re.sub(r"`[^`]+`", "code", line.strip())
        if stripped.startswith("|"):
            blocks.append((" ".join(lines), False))
            lines = []
            if not re.match(r"^[|\s:-]+$", stripped):
                blocks += [(cell, True) for cell in stripped.strip("|").split("|")]
            continue
        starts = re.match(r"(?:[-*+]|\d+\.|>|#+)\s+(?:\[[ x]\]\s*)?", stripped)
        if starts or not stripped:
            blocks.append((" ".join(lines), False))
            lines = []
        if stripped.startswith("#"):
            continue
        lines.append(stripped[starts.end():] if starts else line.strip())
    for block, is_cell in blocks:
        block = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", block)
        block = re.sub(r"`[^`]+`", "code", block)
        for sentence in re.split(r"(?<=[.!?])[\"*)]*\s+(?=[\"*(]*(?:[A-Z0-9ÄÖÜ]|code\b))", block):
            words = re.findall(r"[\w'’-]*[A-Za-z0-9][\w'’.,:/-]*", sentence)
            if words:
                yield len(words), sentence.strip(), is_cell


def documents():
    """For each page its words, sentences, the words of its sentences, and its long sentences."""
    pages = {}
    for path in found("README.md", "Docs/*.md", "Docs/*/*.md", ".prompts/*/*.md"):
        page = text(path)
        everything = list(sentences(page))
        prose = [words for words, _, is_cell in everything if not is_cell and words > 2]
        long = [sentence for words, sentence, _ in everything if words > SENTENCE_WORDS]
        pages[path] = {
            "words": len(page.split()),
            "sentences": len(prose),
            "sentenceWords": sum(prose),
            "long": long,
        }
    return pages


# MARK: Types

DECLARATION = re.compile(r"\b(struct|class|enum|actor|protocol|extension)\s+([A-Za-z_][\w.]*)")
MEMBER = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+|(?:public|package|internal|private|fileprivate)(?:\(set\))?\s+"
                    r"|(?:final|lazy|weak|unowned|override|mutating|nonmutating|consuming|borrowing|nonisolated|indirect"
                    r"|static|convenience|required|dynamic)(?:\(\w+\))?\s+)*"
                    r"(var|let|func|init|subscript)\b")


def code(source):
    """A source without its comments and the content of its texts; line breaks stay."""
    pattern = re.compile(r'"""(?:\\.|[^\\])*?"""|#"(?:[^\n])*?"#|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
    return pattern.sub(lambda match: '""' + "\n" * match.group().count("\n"), source)


def count_members(source, module, types):
    """Adds stored members and functions of a source's types, by the type's full name."""
    scopes, statement, depth = [], "", 0  # scopes: (depth inside the braces, name or None)
    parentheses = 0

    def owner():
        return ".".join(name for _, name in scopes) if all(name for _, name in scopes) else None

    def note(text_of, opens):
        text_of = text_of.strip()
        match = MEMBER.match(text_of)
        name = owner()
        if not match or not name:
            return
        counts = types.setdefault(module + "." + name, {"stored": 0, "functions": 0})
        if match.group(1) in ("func", "init", "subscript"):
            counts["functions"] += 1
        elif not re.search(r"\bstatic\b", text_of.split(match.group(1))[0]):
            if not opens or "=" in text_of:
                # `let a, b: Int` stores two.
                counts["stored"] += 1 + len(re.findall(r"^[^=:]*", text_of)[0].split(",")[1:])

    for character in source:
        if character == "{" and parentheses == 0:
            match = DECLARATION.search(statement)
            is_type = match and not re.search(r"\bclass\s+(?:func|var)\b", statement) and "import" not in statement
            if not is_type:
                note(statement, True)
            scopes.append((depth, match.group(2) if is_type else None))
            depth += 1
            statement = ""
        elif character == "}" and parentheses == 0:
            note(statement, False)
            depth -= 1
            if scopes:
                scopes.pop()
            statement = ""
        elif character in "\n;" and parentheses == 0:
            if re.search(r"(?:->|[=,:&|+?]|\bwhere|\bthrows)\s*$", statement) or not statement.strip():
                statement += " "
            elif MEMBER.match(statement.strip()) and not re.match(r".*\bfunc\b|.*\binit\b", statement):
                note(statement, False)
                statement = ""
            elif re.match(r"\s*@\w+(\([^)]*\))?\s*$", statement) or DECLARATION.search(statement) \
                    or MEMBER.match(statement.strip()):
                statement += " "
            else:
                statement = ""
        else:
            parentheses += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
            parentheses = max(parentheses, 0)
            statement += character


def types():
    counted = {}
    for path in swift_files():
        count_members(code(text(path)), path.split("/")[1], counted)
    return counted


# MARK: Report


def report():
    comment_count, places = broken_comments()
    pages = documents()
    counted = types()

    def largest(member):
        names = sorted(counted, key=lambda name: (-counted[name][member], name))[:LARGEST_TYPES]
        return {name: counted[name][member] for name in names}

    sentence_count = sum(page["sentences"] for page in pages.values())
    folders = files_by_folder()
    return {
        "lines": lines_by_module(),
        "folders": folders,
        "crowdedFolders": {folder: count for folder, count in folders.items() if count > FILES_A_FOLDER},
        "comments": comment_count,
        "brokenComments": places,
        "pages": pages,
        "words": sum(page["words"] for page in pages.values()),
        "longSentences": sum(len(page["long"]) for page in pages.values()),
        "sentenceAverage": round(sum(page["sentenceWords"] for page in pages.values()) / max(sentence_count, 1), 2),
        "typesByStoredMembers": largest("stored"),
        "typesByFunctions": largest("functions"),
    }


def over_limits(counts, kinds=KINDS):
    """One line for each limit of these kinds that is exceeded."""
    if "folders" in kinds:
        yield from over_folders(counts)
    if "comments" in kinds:
        yield from over_comments(counts)
    if "documents" in kinds:
        yield from over_documents(counts)


def over_folders(counts):
    for folder, count in sorted(counts["crowdedFolders"].items()):
        yield "%s has %d files, of at most %d" % (folder, count, FILES_A_FOLDER)


def over_comments(counts):
    for rule, places in counts["brokenComments"].items():
        if places:
            yield "%d comments break rule %s" % (len(places), rule)


def over_documents(counts):
    if counts["words"] > DOCUMENT_WORDS:
        yield "the documents have %d words, of at most %d" % (counts["words"], DOCUMENT_WORDS)
    if counts["longSentences"]:
        yield "%d sentences have more than %d words" % (counts["longSentences"], SENTENCE_WORDS)
    if counts["sentenceAverage"] > AVERAGE_WORDS:
        yield "a sentence has %s words on average, of at most %d" % (counts["sentenceAverage"], AVERAGE_WORDS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")
    parser.add_argument("--check", nargs="*", choices=KINDS, help="exit with 1 if a limit of these kinds is exceeded")
    parser.add_argument("--pages", action="store_true", help="print a line for each page, and its long sentences")
    parser.add_argument("--comments", action="store_true", help="print each comment that breaks a rule")
    options = parser.parse_args()
    counts = report()
    over = list(over_limits(counts))
    is_wrong = options.check is not None and bool(list(over_limits(counts, options.check or KINDS)))
    if options.json:
        print(json.dumps(dict(counts, over=over), ensure_ascii=False, indent=1))
        return 1 if is_wrong else 0
    print("house: %d lines in %d modules, %d folders over %d files, %d of %d comments break a rule, %d words in %d pages, "
          "%s words a sentence, %d sentences over %d" % (
              sum(counts["lines"].values()), len(counts["lines"]), len(counts["crowdedFolders"]), FILES_A_FOLDER,
              len({place for places in counts["brokenComments"].values() for place in places}), counts["comments"],
              counts["words"], len(counts["pages"]), counts["sentenceAverage"], counts["longSentences"],
              SENTENCE_WORDS))
    for line in over:
        print("over: " + line)
    if options.comments:
        for rule, places in counts["brokenComments"].items():
            for place in places:
                print("rule %s: %s" % (rule.split()[0], place))
    if options.pages:
        for path, page in sorted(counts["pages"].items(), key=lambda item: -item[1]["words"]):
            average = page["sentenceWords"] / max(page["sentences"], 1)
            print("%6d words  %5.1f a sentence  %3d long  %s" % (page["words"], average, len(page["long"]), path))
            for sentence in page["long"]:
                print("       long: " + sentence)
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
