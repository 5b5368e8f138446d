"""The virtual environment that holds other people's programs: `./test services` makes it, and by
hand README.md says how."""
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("PENNYWORTH_SERVICES", ROOT / "build/services"))


def program(name):
    return str(FOLDER / "bin" / name)


def missing(name):
    """Why the program of that name cannot be started; None where it can."""
    if os.access(program(name), os.X_OK):
        return None
    return f"there is no {name} in {FOLDER}: ./test services installs it"
