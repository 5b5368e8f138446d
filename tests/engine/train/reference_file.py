"""References that a test has changed, and the file of one that `verify --against` reads."""
import contextlib
import json
import tempfile


@contextlib.contextmanager
def file_of(reference):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(reference, file)
        file.flush()
        yield file.name


def first_step(whole):
    """The reference that ends after the first step of `whole`, which has no momentum and
    no weight decay: then that step subtracts the gradients times the rate of learning."""
    reference = json.loads(whole.read_text())
    rate = reference["lr"]
    reference["losses"] = reference["losses"][:1]
    reference["updates"] = {
        name: {"count": probe["count"], "sum": -rate * probe["sum"], "l2": rate * probe["l2"],
               "at": {index: -rate * value for index, value in probe["at"].items()}}
        for name, probe in reference["gradients"].items()}
    return reference
