"""What the image may do, and what it refuses: no token, a root file system that is read-only, no
capabilities, the engine's default filter of system calls, another user."""
import unittest

from runtime import ENGINE, RUNTIME, need_image
from server import ALONE, TOKEN

USER, ANOTHER = 10001, 12345
LOOK = """for d in / /usr /etc /var/tmp /usr/bin; do touch $d/x 2>/dev/null && echo $d; done
    touch /data/x && echo volume; touch /tmp/x && echo temporary; id -u
    grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status"""


def setUpModule():
    need_image()


class Refusals(unittest.TestCase):
    def test_without_a_token_no_client_is_served(self):
        answer = RUNTIME.enter("/usr/bin/pennyworth")
        self.assertEqual(2, answer.returncode, answer.stderr)
        self.assertIn("--listen 0.0.0.0 can be reached by others", answer.stderr)
        self.assertIn("--write-token-file", answer.stderr)

    @unittest.skipUnless(ENGINE, "enter.sh always enters as the image's user")
    def test_another_user_on_a_fresh_volume_is_refused_in_words_that_help(self):
        for command in ("serve", "bench"):
            answer = RUNTIME.enter("/usr/bin/pennyworth", command, flags=("--user", ANOTHER),
                                   PENNYWORTH_WRITE_TOKEN=TOKEN, **ALONE)
            self.assertEqual(1, answer.returncode, answer.stderr)
            self.assertIn(f"cannot make /data/pennyworth: Permission denied: user {ANOTHER} may "
                          f"not write to /data of user {USER}: run as user {USER}, chown it to "
                          f"{ANOTHER}, or choose another --database", answer.stderr)

    @unittest.skipUnless(ENGINE, "enter.sh always has a volume")
    def test_a_read_only_place_for_the_database_is_refused_in_words_that_help(self):
        answer = RUNTIME.enter("/usr/bin/pennyworth", PENNYWORTH_WRITE_TOKEN=TOKEN,
                               PENNYWORTH_DATABASE="/var/pennyworth/pennyworth.db", **ALONE)
        self.assertEqual(1, answer.returncode, answer.stderr)
        self.assertRegex(answer.stderr, "cannot make /var/pennyworth: (Read-only file system: "
                         "mount a volume there|Permission denied: .* /var of user 0)")


class Rights(unittest.TestCase):
    def test_nothing_but_the_volume_can_be_written(self):
        answer = RUNTIME.enter("/bin/sh", "-c", LOOK)
        self.assertEqual(["volume", "temporary", str(USER)], answer.stdout.split()[:3],
                         answer.stdout)
        self.assertRegex(answer.stdout, r"CapEff:\s+0+\nCapBnd:\s+0+\nNoNewPrivs:\s+1\n")

    @unittest.skipUnless(ENGINE, "enter.sh filters no system calls")
    def test_under_the_default_filter_of_system_calls_runs_are_measured_and_verified(self):
        answer = RUNTIME.enter("/bin/sh", "-c", LOOK)
        self.assertRegex(answer.stdout, r"Seccomp:\s+2\n")
        server = RUNTIME.server()
        self.addCleanup(server.clean)
        server.start()
        # Each asks the kernel for something that the filter may refuse; the worker filters more.
        for more in ({"workload": "mlp2017"}, {"workload": "mlp2017", "pinning": "cores"},
                     {"workload": "mlp2017", "huge_pages": "off"}, {"workload": "resnet50"}):
            run = server.run(batch_size=2, warmup_steps=0, steps=3, **more)
            self.assertEqual("finished", run["state"], run)
        self.assertNotIn("NaN", str(run["summary"]))
