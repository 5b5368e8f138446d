"""A reference that a test has changed, as a file that `verify --against` reads."""
import contextlib
import json
import tempfile


@contextlib.contextmanager
def file_of(reference):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(reference, file)
        file.flush()
        yield file.name
