"""Machines in miniature: network namespaces with an address each, on one switch. Nothing of it
touches the network of the machine that runs the tests."""
import os
import shutil
import subprocess
import unittest


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Network:
    """with Network(["hub", "a"]) as network: network.command("a", [...]) runs there."""

    def __init__(self, names, rate=None):
        self.names, self.rate = names, rate
        self.prefix = f"pw{os.getpid()}-"
        self.address = {name: f"10.77.0.{number}" for number, name in enumerate(names, 1)}

    def space(self, name):
        return self.prefix + name

    def command(self, name, words):
        """The same words, to be run on that machine."""
        return ["ip", "netns", "exec", self.space(name), *words]

    def _ip(self, name, *words):
        run("ip", "-n", self.space(name), *words)

    def _join(self, name):
        """A cable between that machine and the switch."""
        self._ip("switch", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "up0",
                 "netns", self.space(name))
        self._ip("switch", "link", "set", f"to-{name}", "master", "bridge0", "up")
        self._ip(name, "address", "add", f"{self.address[name]}/24", "dev", "up0")
        self._ip(name, "link", "set", "up0", "up")
        self._ip(name, "link", "set", "lo", "up")
        if self.rate:
            run(*self.command(name, ["tc", "qdisc", "add", "dev", "up0", "root", "tbf", "rate",
                                     self.rate, "burst", "64k", "latency", "400ms"]))

    def __enter__(self):
        if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("tc"):
            raise unittest.SkipTest("machines in miniature want root, ip and tc")
        try:
            for name in ["switch", *self.names]:
                run("ip", "netns", "add", self.space(name))
            self._ip("switch", "link", "add", "bridge0", "type", "bridge")
            self._ip("switch", "link", "set", "bridge0", "up")
            for name in self.names:
                self._join(name)
        except subprocess.CalledProcessError as problem:
            self.__exit__()
            raise unittest.SkipTest(f"no network namespaces here: {problem.stderr}") from problem
        return self

    def __exit__(self, *_):
        for name in ["switch", *self.names]:
            subprocess.run(["ip", "netns", "del", self.space(name)], check=False,
                           capture_output=True)

    def plug(self, name, is_in):
        """Pulls the cable of a machine, or puts it back."""
        self._ip("switch", "link", "set", f"to-{name}", "up" if is_in else "down")
