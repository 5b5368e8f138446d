"""Sentences say subject, verb, object: these turns of phrase hide who does what. Names count too."""
import re

import house

# Phrases, what to write instead, and the files that may hold them: these name a user of the system.
TABLE = (
    ("of which", "make it two sentences"),
    ("that of, those of", "repeat the noun, or use a genitive"),
    ("came to, come to, comes to", "say what it did, or what results"),
    ("beside, besides", "next to, as well as, with, other than"),
    ("believe, believed, believes", "accept, or say who decides"),
    ("lawful, unlawful", "valid, allowed"),
    ("whoever", "say who"),
    ("nobody", "no one, or say what does not happen", "tests/api/test_confine.py",
     "tests/engine/process/engine_user_test.c", "tests/server/runs/engines_test.c"),
)
INSTEAD = {phrase: row[1:] for row in TABLE for phrase in row[0].split(", ")}
TEXTS = (".c", ".h", ".py", ".js", ".html", ".css", ".md", ".sh", ".txt", ".cmake", ".json", ".yaml", ".yml",
         ".service", ".conf", ".1", ".in", "Dockerfile", "run", "test")
NOT_OURS = "tests/fuzz/corpus/"  # inputs of parsers
OWN = "tests/gates/gate_words.py"  # holds the table
# Between two words: blanks, an underscore in a name, or the end of a line with what opens the next comment line.
GAP = r"(?:_|\s+(?:(?:\*|//|#)\s+)?)"
PHRASE = re.compile(r"(?<![a-z])(?:" + "|".join(INSTEAD).replace(" ", GAP) + r")(?![a-z])", re.I)


def main():
    top, gate, count = house.root(), house.Gate(), 0
    for path in house.files(top, *TEXTS):
        if path.startswith(NOT_OURS) or path == OWN:
            continue
        count += 1
        source = house.text(top, path)
        for match in PHRASE.finditer(source):
            phrase = " ".join(re.findall("[a-z]+", match.group().lower()))
            instead, *excepted = INSTEAD[phrase]
            if path not in excepted:
                gate.refuse(path, house.line_of(source, match.start()),
                            f'"{phrase}" is a crooked phrase: {instead}')
    gate.verdict(f"{count} texts have no crooked phrase")


if __name__ == "__main__":
    main()
