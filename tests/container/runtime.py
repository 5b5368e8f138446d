"""What runs the image in these tests: a docker engine, or without one Debian's buildah and enter.sh.

    RUNTIME.server(*flags, volume=None)    a server (server.py) in a container of its own
    RUNTIME.volume()                       put(), fetch(), remove()
    RUNTIME.enter(*words, **variables)     a program in a container of its own; how it ended
    RUNTIME.config()                       what the image says of itself, as docker calls it
    RUNTIME.unpacked()                     a context: folders with the files of image and base
    RUNTIME.bytes_beyond_base(), packed_bytes(form)
    RUNTIME.worker()                       a command: the worker, with a spec on stdin
    RUNTIME.make_base(), make_image(), has_image(), forget(), check(), describe()

PENNYWORTH_TEST_RUNTIME=buildah takes the second one where there are both."""
import os
import unittest

import chroot
import docker
from userland import Unable

ENGINE = os.environ.get("PENNYWORTH_TEST_RUNTIME") != "buildah" and docker.version() is not None
RUNTIME = docker.Docker() if ENGINE else chroot.Chroot()
# Set by ctest, which makes the image once for all tests and removes it after them.
KEPT = os.environ.get("PENNYWORTH_TEST_IMAGE") == "kept"


def need_image():
    """In a test's setUpModule(): the image is there, or the tests are skipped."""
    try:
        RUNTIME.check()
        if KEPT:
            if not RUNTIME.has_image():
                raise Unable("it is not there")
            return
        unittest.addModuleCleanup(RUNTIME.forget)
        RUNTIME.make_base()
        RUNTIME.make_image()
    except Unable as reason:
        raise unittest.SkipTest(f"no image can be made here: {reason}") from None


def need_engine():
    """The same, for what only an engine does."""
    if not ENGINE:
        raise unittest.SkipTest("no docker engine answers")
    need_image()
