"""Processes of known names that use processors."""
import contextlib
import os
import subprocess
import tempfile

NAME = "busyneighbour"  # the kernel has it from the name of the script


def busy_script(folder, name):
    """The path of a program that wants all of a processor."""
    script = os.path.join(folder, name)
    with open(script, "w") as file:
        file.write("#!/bin/sh\nwhile :; do :; done\n")
    os.chmod(script, 0o700)
    return script


@contextlib.contextmanager
def busy_neighbour(processes=1):
    """More processes get a larger share where many others want one."""
    with tempfile.TemporaryDirectory(prefix="pennyworth-") as folder:
        script = busy_script(folder, NAME)
        running = [subprocess.Popen([script], stdin=subprocess.DEVNULL) for _ in range(processes)]
        try:
            yield
        finally:
            for process in running:
                process.kill()
                process.wait()
