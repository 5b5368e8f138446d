"""AWS as somebody else wrote it: moto's server, which checks signatures (SigV4) and permissions.

    with MotoServer() as moto:
        moto.url
        moto.reader.id, moto.reader.secret   # a user who may ask for the history of spot prices
        moto.role.token                      # the same for a while, as an instance's role has it
        moto.powerless                       # a user without permissions

It runs from the virtual environment of README.md. MotoServer.missing() says why it cannot, or None.
By hand, /usr/bin/python3 tests/services/moto_server.py prints the address and the reader's keys, and runs
until it is interrupted."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import typing
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import environment

PATIENCE = 60  # seconds until it answers; it reads a lot of Python first
SPOT_HISTORY = "ec2:DescribeSpotPriceHistory"
TRUST = '{"Version":"2012-10-17","Statement":[]}'


class Keys(typing.NamedTuple):
    id: str
    secret: str
    token: str = ""


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class MotoServer:
    """`allowed` is what the reader and the role may do."""

    def __init__(self, allowed=(SPOT_HISTORY,)):
        self.allowed = list(allowed)
        self.process = None
        self.log = None

    @staticmethod
    def missing():
        return environment.missing("moto_server")

    def start(self):
        problem = self.missing()
        if problem:
            raise RuntimeError(problem)
        port = _free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [environment.program("python"), Path(__file__).with_name("moto_inside.py"), str(port)],
            env={**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": "8"},  # the calls of _make_everybody()
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)
        try:
            self._wait()
            self._make_everybody()
        except BaseException:
            self.stop()
            raise
        return self

    def _wait(self):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                # Not a call of AWS: it does not count among those that need no signature.
                with urllib.request.urlopen(self.url + "/moto-api/", timeout=5):
                    return
            except urllib.error.HTTPError:
                return
            except OSError as problem:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"moto does not answer: {self.said()}") from problem
                time.sleep(0.1)

    def said(self):
        self.log.seek(0)
        return self.log.read()[-2000:]

    def stop(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        if self.log:
            self.log.close()
            self.log = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_why):
        self.stop()

    def _call(self, service, version, action, **parameters):
        """With a signature that moto does not verify; it only names the service."""
        body = urllib.parse.urlencode({"Action": action, "Version": version, **parameters})
        request = urllib.request.Request(self.url + "/", body.encode(), {
            "Content-Type": "application/x-www-form-urlencoded",
            "Authorization": f"AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/{service}/"
                             "aws4_request, SignedHeaders=host, Signature=none"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            return reply.read().decode()

    def _iam(self, action, **parameters):
        return self._call("iam", "2010-05-08", action, **parameters)

    def _make_everybody(self):
        """From the call after these on, signatures are checked."""
        policy = json.dumps({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": self.allowed, "Resource": "*"}]})
        self._iam("CreateUser", UserName="reader")
        self._iam("PutUserPolicy", UserName="reader", PolicyName="may", PolicyDocument=policy)
        self.reader = _keys(self._iam("CreateAccessKey", UserName="reader"))
        self._iam("CreateUser", UserName="powerless")
        self.powerless = _keys(self._iam("CreateAccessKey", UserName="powerless"))
        self._iam("CreateRole", RoleName="role", AssumeRolePolicyDocument=TRUST)
        self._iam("PutRolePolicy", RoleName="role", PolicyName="may", PolicyDocument=policy)
        self.role = _keys(self._call("sts", "2011-06-15", "AssumeRole", RoleSessionName="session",
                                     RoleArn="arn:aws:iam::123456789012:role/role"))


def _keys(answer):
    def element(name):
        found = re.search(f"<{name}>(.*?)</{name}>", answer)
        return found[1] if found else ""
    return Keys(element("AccessKeyId"), element("SecretAccessKey"), element("SessionToken"))


def main():
    try:
        moto = MotoServer().start()
    except RuntimeError as problem:
        raise SystemExit(f"moto_server.py: {problem}")
    with moto:
        print(f"AWS_ENDPOINT_URL={moto.url}\nAWS_ACCESS_KEY_ID={moto.reader.id}\n"
              f"AWS_SECRET_ACCESS_KEY={moto.reader.secret}", flush=True)
        try:
            moto.process.wait()
        except KeyboardInterrupt:
            pass
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.exit(main())
