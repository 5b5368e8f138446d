"""What every test of programs needs, whatever it starts: patience, and a port."""
import socket
import time

PATIENCE = 60  # seconds until something that must happen counts as not happening


def until(truth, what, seconds=PATIENCE, pause=0.01):
    """Calls truth() until it returns something true, and returns that."""
    deadline = time.monotonic() + seconds
    while True:
        found = truth()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(pause)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
