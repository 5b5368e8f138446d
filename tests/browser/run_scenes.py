"""Engines, a place and labels of strangers: what the tests of runs share."""
from harness import fake

HOSTILE = {"script": "<script>document.title='taken'</script>", "left": "\u202eabc\u05d0\u05d1",
           "long": "x" * 256}
ENGINES = {"ok": fake("ok"), "talkative": fake("talkative"), "slow": fake("slow", 60),
           "crash": fake("crash"), "unlearning": fake("unlearning")}
PLACE = ("--provider", "aws", "--region", "us-east-1", "--instance-type", "test.large")
