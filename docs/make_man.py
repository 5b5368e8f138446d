#!/usr/bin/env python3
"""usage: docs/make_man.py PENNYWORTH

Writes docs/man/NAME.1 from each docs/man/NAME.1.in. A line of one word between two @ is replaced by
what the program prints about its commands and options (--help) or about the fields of a run."""
import re
import subprocess
import sys
from pathlib import Path

from make_api import document_of
from schema_words import phrase

MAN = Path(__file__).resolve().parent / "man"
COMMAND = re.compile(r"^  ([a-z]+)((?: [A-Za-z]+)*) {2,}(\S.*)$", re.M)
OPTION = re.compile(r"^  (--[a-z-]+)(?: (\S+))?\n      (.*)\n      \[(PENNYWORTH_[A-Z_]+)(.*)\]$"
                    r"|^  \(no flag\)\n      (.*)\n      \[(PENNYWORTH_[A-Z_]+)(.*)\]$", re.M)


def help_of(program, *words):
    output = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True,
                          env={"PATH": "/usr/bin:/bin"})
    return output.stdout


def commands(program):
    """(name, operands, meaning) in the order of --help."""
    section = help_of(program).split("\nOptions of")[0]
    return [(name, operands.split(), meaning) for name, operands, meaning in
            COMMAND.findall(section)]


def options(program):
    """{(flag or "", argument, variable): (meaning, limits, commands)}, in the order of --help."""
    found = {}
    for name, _, _ in commands(program):
        for row in OPTION.finditer(help_of(program, name)):
            flag, argument, meaning, variable, limits, *secret = (part or "" for part in row.groups())
            if not flag:
                meaning, variable, limits = secret
            entry = (flag, argument, variable)
            found.setdefault(entry, (meaning, limits, []))[2].append(name)
    return found


def roff(text):
    """Text as it is, with nothing in it that groff would read."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def plain(text):
    """Without the marks of Markdown."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "")


def synopsis(program):
    for name, operands, _ in commands(program):
        words = [".B pennyworth" if name != "serve" else ".B pennyworth\n.RB [ serve ]"]
        if name != "serve":
            words[0] += f" {name}"
        words += [f".{'I' if operand.isupper() else 'B'} {operand}" for operand in operands]
        if any(name in of for _, _, of in options(program).values()):
            words.append(".RI [ option ]\\&.\\|.\\|.")
        yield "\n".join(words) + "\n.br"


def option_list(program):
    for (flag, argument, variable), (meaning, limits, of) in options(program).items():
        yield ".TP"
        yield f".BI {roff(flag)} \" {roff(argument)}\"" if flag else f".B {roff(variable)}"
        yield roff(meaning.rstrip(".")) + "."
        facts = ([f"Variable {variable}"] if flag else ["Only as a variable, never in an argument"])
        facts += [part.strip() for part in limits.lstrip(", ").split(", ") if part.strip()]
        yield roff("; ".join(facts)) + "."
        yield "Commands: " + ", ".join(f"\\fB{name}\\fR" for name in of) + "."


def spec_list(program):
    spec = document_of(program)["components"]["schemas"]["RunSpec"]
    for name, schema in spec["properties"].items():
        yield ".TP"
        yield f".B {roff(name)}"
        yield roff(schema.get("description", "")) + "."
        yield roff(plain(phrase(schema)).replace("; default", ". Default")) + "."


FILLERS = {"@SYNOPSIS@": synopsis, "@OPTIONS@": option_list, "@SPEC@": spec_list}


def version(program):
    output = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return output.stdout.split()[1]


def make(program):
    """{name of the page: its text}."""
    pages = {}
    for source in sorted(MAN.glob("*.1.in")):
        lines = []
        for line in source.read_text().splitlines():
            lines += FILLERS[line](program) if line in FILLERS else [line]
        text = "\n".join(lines) + "\n"
        pages[source.name.removesuffix(".in")] = text.replace("@VERSION@", version(program))
    return pages


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    for name, text in make(sys.argv[1]).items():
        (MAN / name).write_text(text)
