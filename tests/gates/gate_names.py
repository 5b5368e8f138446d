"""A static function of the product says its subject, `gate_say` instead of `say`: a name of one word
means nothing in a stack trace, and is found everywhere. No two files of a folder have one of the same name."""
import re

import house

ROOMS = ("answers/", "common/", "db/", "engine/", "pricing/", "server/")
VOCABULARY = {  # words that callers read as part of the language
    "common/cleanup.h": {"take", "freep", "closep", "fclosep"},
    "engine/train/kernels/passes_stored.h": {"get", "put", "relu"},
}
# Forms of one kernel, for several instruction sets or versions of a library, have the same parts.
FORMS = ("engine/train/kernels/", "engine/train/onednn/")
STATIC = re.compile(r"^static [^=;(]*?\b(\w+)\(", re.M)


def main():
    top, gate, count, places = house.root(), house.Gate(), 0, {}
    for path in house.files(top, ".c", ".h"):
        if not path.startswith(ROOMS):
            continue
        source = house.code(house.text(top, path))
        for match in STATIC.finditer(source):
            name = match.group(1)
            count += 1
            if "_" not in name and name not in VOCABULARY.get(path, ()):
                gate.refuse(path, house.line_of(source, match.start()),
                            f"{name}() does not say its subject")
            folder, _, file = path.rpartition("/")
            first = places.setdefault((folder, name), file)
            if first != file and not path.startswith(FORMS):
                gate.refuse(path, house.line_of(source, match.start()), f"{name}() is a function of {first} too")
    gate.verdict(f"{count} static functions say their subject")


main()
