"""The health command, with and without a server: what a container asks about itself."""
import os
import signal
import unittest

import harness
from candidate import QUICK_ENGINE, SLOW_ENGINE, Candidate
from certificates import OPENSSL, make_pair
from harness import Server, fake, pennyworth, until
from waiting import free_port


def health(*flags, **options):
    return pennyworth("health", *flags, **options)


class Case(harness.Case):
    def assertHealthy(self, answer):
        self.assertEqual((0, "", ""), (answer.returncode, answer.stdout, answer.stderr))

    def assertIll(self, answer, *words):
        """One line of stderr, with all of these words."""
        self.assertEqual((1, ""), (answer.returncode, answer.stdout), answer.stderr)
        self.assertEqual(1, answer.stderr.count("\n"), answer.stderr)
        for word in words:
            self.assertIn(word, answer.stderr)


class OfAServer(Case):
    def test_a_server_is_healthy_until_it_has_ended(self):
        server = Server().start()
        port = str(server.port)
        self.assertHealthy(health("--port", port))
        server.stop()
        self.assertIll(health("--port", port), f"http://127.0.0.1:{port}/readyz")

    def test_the_environment_of_the_server_is_enough(self):
        # As in a container: only the variables of the server itself. No token is needed.
        variables = {"PENNYWORTH_WRITE_TOKEN": "0123456789abcdef0123"}
        server = self.own_server(listen="0.0.0.0", environment=variables)
        server.token = variables["PENNYWORTH_WRITE_TOKEN"]
        self.assertHealthy(health(environment={**variables, "PENNYWORTH_LISTEN": "0.0.0.0",
                                               "PENNYWORTH_PORT": str(server.port)}))


class OfACandidate(Case):
    """As in a container with PENNYWORTH_REPORT_TO: nothing serves, the environment is all."""

    def setUp(self):
        self.candidate = Candidate(self)
        # Where a server is looked for, there is none.
        self.environment = {"PENNYWORTH_DATABASE": self.candidate.database,
                            "PENNYWORTH_PORT": str(free_port())}

    def health(self, **more):
        return health(environment={**self.environment, **more})

    def start(self, *words, **options):
        # Its heartbeat comes after a quarter of a second, and not of five.
        return self.candidate.start(*words, environment={"PENNYWORTH_HASTE": "20"}, **options)

    def bench(self, *flags, engine=SLOW_ENGINE):
        return self.start("bench", "--set", "quick", *flags, engine=engine)

    def begin(self, *flags):
        """A bench whose run has begun."""
        running = self.bench(*flags)
        running.tells("begins")
        return running

    def assertWell(self, answer, words):
        self.assertEqual((0, ""), (answer.returncode, answer.stderr), answer)
        self.assertRegex(answer.stdout, words)
        self.assertEqual(1, answer.stdout.count("\n"))

    def test_with_nothing_running_it_says_what_was_looked_for(self):
        self.assertIll(self.health(), "/readyz", "no bench and no push runs on",
                       self.candidate.database)

    def test_a_bench_is_well_from_its_start_to_its_end(self):
        running = self.begin()
        self.assertWell(self.health(), r"^bench: .*; last progress \d+ s ago$")
        until(lambda: "run 1 of 1, step" in self.health().stdout, "a step")
        running.send().wait()
        self.assertIll(self.health(), "no bench and no push")

    def test_a_killed_bench_is_ill_at_once(self):
        running = self.begin()
        running.process.kill()
        running.process.wait()
        self.assertIll(self.health(), "no bench and no push")

    def test_one_that_hangs_is_ill(self):
        # What a worker may be silent for, and a minute: so long is the patience. It is stopped as a
        # whole, and the file is made to be older than that.
        running = self.begin("--silence-seconds", "1")
        until(lambda: "step" in self.health().stdout, "a step")
        running.send(signal.SIGSTOP)
        self.assertWell(self.health(), "^bench: ")
        self.age_heartbeat(3600)
        self.assertIll(self.health(), "has made no progress for 36", "where 61 s are allowed",
                       "it was at: run 1 of 1, step")
        running.send(signal.SIGCONT)
        until(lambda: self.health().returncode == 0, "progress")

    def age_heartbeat(self, seconds):
        path = self.candidate.database + ".heartbeat"
        with open(path, "r+b") as file:
            words = file.read().rstrip(b"\n").split(b" ", 7)
            words[6] = b"%d" % (int(words[6]) - seconds * 10**9)
            file.seek(0)
            file.write(b" ".join(words).ljust(512, b"\n"))

    def test_a_worker_without_progress_is_no_progress(self):
        running = self.bench(engine="native=" + fake("stuck", 50))
        until(lambda: "step 5;" in self.health().stdout, "the fifth step")
        age = int(self.health().stdout.split("last progress ")[1].split(" ")[0])
        until(lambda: f"last progress {age + 2} s" in self.health().stdout, "no progress")
        running.send().wait()

    def test_a_bench_that_waits_for_its_hub_is_well(self):
        running = self.bench("--report-to", f"http://127.0.0.1:{free_port()}",
                             engine=QUICK_ENGINE)
        running.tells("waiting for the hub")
        until(lambda: "reports to the hub" in self.health().stdout, "the report")
        self.assertWell(self.health(), "^bench: reports to the hub; last progress")
        running.send().wait()
        pushing = self.start("push", "--report-to", f"http://127.0.0.1:{free_port()}")
        pushing.tells("waiting for the hub")
        self.assertWell(self.health(), "^push: ")
        pushing.send().wait()
        self.assertIll(self.health(), "no bench and no push")

    def test_with_a_push_and_a_server_the_server_answers(self):
        self.bench("--report-to", f"http://127.0.0.1:{free_port()}", "--report-seconds", "0",
                   engine=QUICK_ENGINE).wait()
        server = self.own_server(database=self.candidate.database)
        pushing = self.start("push", "--report-to", f"http://127.0.0.1:{free_port()}")
        pushing.tells("waiting for the hub")
        self.assertHealthy(self.health(PENNYWORTH_PORT=str(server.port)))
        self.assertIll(self.health(), "/readyz")  # of a server that does not answer there

    def test_another_database_is_not_looked_at(self):
        running = self.begin()
        self.assertIll(self.health(PENNYWORTH_DATABASE=self.candidate.database + ".other"),
                       "no bench and no push runs on")
        answer = health("--database", self.candidate.database)
        self.assertWell(answer, "^bench: ")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_a_file_that_cannot_be_read_is_reported(self):
        running = self.begin()
        os.chmod(self.candidate.database + ".heartbeat", 0)
        self.assertIll(self.health(), "is not known", "Permission denied")


@unittest.skipUnless(OPENSSL, "there is no openssl to make certificates with")
class OverTls(Case):
    def test_the_servers_own_certificate_alone_is_trusted_whatever_its_name(self):
        folder = self.new_folder()
        ours, other = (make_pair(folder, name, "DNS:hub.example") for name in ("ours", "other"))
        server = self.running(Server("--tls-certificate", ours[0], "--tls-key", ours[1]))
        asked = ("--port", server.port, "--tls-certificate")
        self.assertHealthy(health(*asked, ours[0]))
        self.assertIll(health(*asked, other[0]), "https://127.0.0.1:", "certificate")
        self.assertIll(health(*asked, "/nowhere.pem"), "/nowhere.pem")
