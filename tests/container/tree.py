"""The source tree as a builder gets it, and archives of what it made."""
import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from userland import FOLDER, QUIET, ROOT


@contextlib.contextmanager
def clean_tree():
    """The files that git knows or would, as they are now; a folder that goes away."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard"], capture_output=True, check=True).stdout
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        for name in filter(None, listed.decode().split("\0")):
            if (ROOT / name).is_file():
                target = Path(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target, follow_symlinks=False)
        yield folder


def commit():
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"],
                          capture_output=True, **QUIET)
    return done.stdout.strip() or "unknown"


def unpack(stream, folder):
    """Unpacks an archive of a file system, with owners and rights of root kept."""
    folder.mkdir()
    subprocess.run(["tar", "--numeric-owner", "--xattrs", "--xattrs-include=*",
                    "--exclude=dev/*", "-C", folder, "-xp"], stdin=stream, check=True)
