"""Sentences say subject, verb, object: these turns of phrase hide who does what. Names count too."""
import re

import house

INSTEAD = {
    "of which": "make it two sentences",
    "that of": "repeat the noun, or use a genitive",
    "those of": "repeat the noun, or use a genitive",
    "came to": "say what it did, or what resulted",
    "come to": "say what it does, or what results",
    "comes to": "say what it does, or what results",
    "beside": "next to, as well as, with, while",
    "besides": "also, other than",
    "believed": "accepted, or say who decides",
    "nobody": "no one, or say what does not happen",
    "whoever": "say who",
}
EXCEPT = (  # (beginning of a path, phrase, reason)
    ("tests/api/test_confine.py", "nobody", "the system's user"),
    ("tests/engine/process/engine_user_test.c", "nobody", "the system's user"),
    ("tests/server/runs/engines_test.c", "nobody", "the system's user"),
    ("tests/gates/gate_words.py", "", "holds the table"),
    ("tests/gates/gate_selftest.py", "", "breaks each rule"),
)
TEXTS = (".c", ".h", ".py", ".js", ".html", ".css", ".md", ".sh", ".txt", ".cmake", ".json", ".yaml", ".yml",
         ".service", ".conf", ".1", ".in", "Dockerfile", "run", "test")
NOT_OURS = "tests/fuzz/corpus/"  # inputs of parsers
# Between two words: blanks, an underscore in a name, or the end of a line with what opens the next comment line.
GAP = r"(?:_|\s+(?:(?:\*|//|#)\s+)?)"
PHRASE = re.compile(r"(?<![a-z])(?:" + "|".join(INSTEAD).replace(" ", GAP) + r")(?![a-z])", re.I)


def is_excepted(path, phrase):
    return any(path.startswith(begin) and what in ("", phrase) for begin, what, _ in EXCEPT)


def main():
    top, gate, count = house.root(), house.Gate(), 0
    for path in house.files(top, *TEXTS):
        if path.startswith(NOT_OURS):
            continue
        count += 1
        source = house.text(top, path)
        for match in PHRASE.finditer(source):
            phrase = " ".join(re.findall("[a-z]+", match.group().lower()))
            if not is_excepted(path, phrase):
                gate.refuse(path, house.line_of(source, match.start()),
                            f'"{phrase}" is a crooked phrase: {INSTEAD[phrase]}')
    gate.verdict(f"{count} texts have no crooked phrase")


main()
