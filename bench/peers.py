"""Measures our engine and the other frameworks of build/peers (`./test peers` puts them there) on this
machine, in the blocks of the sweep preset `engines`, and prints the table for docs/peers.md.

Starts a server of its own (PENNYWORTH_BENCH_SERVER, or build/release/pennyworth) with a database in
a temporary folder. Nothing else should run on the machine meanwhile. A step must take less than 15
seconds, the time that a server gives a worker to end: XLA and JAX take that for a batch of 32 on two
cores."""
import argparse
import json
import pathlib
import sys
import tempfile

from sweeps import ROOT, Service, describe, reasons

sys.path.insert(0, str(ROOT / "engine" / "peers"))
import environments  # noqa: E402

SILENCE = 1800  # seconds: some compile for minutes before step 0


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--workload", default="resnet50", help="JAX trains resnet50 alone")
    parser.add_argument("--batch", type=int, help="samples a step; the workload's own")
    parser.add_argument("--blocks", type=int, default=3, help="runs of each engine")
    parser.add_argument("--seconds", type=int, default=60, help="of a run, at least")
    parser.add_argument("--max-seconds", type=int, help="of a run, at most; 10 times --seconds")
    parser.add_argument("--warmup", type=int, help="steps to leave out, instead of finding them")
    parser.add_argument("--steps", type=int, help="steps to measure, instead of until it is sure")
    parser.add_argument("--only", nargs="+", choices=tuple(environments.ENVIRONMENTS),
                        help="engines to compare with ours; default: all installed")
    parser.add_argument("--price", type=float, help="dollars an hour of this machine")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "peers",
                        help="where the environments are")
    parser.add_argument("--json", type=pathlib.Path, help="also store the sweep as it was answered")
    return parser.parse_args()


def request(args):
    base = {"workload": args.workload, "precision": args.precision,
            "min_seconds": args.seconds, "max_seconds": args.max_seconds or 10 * args.seconds}
    if args.batch is not None:
        base["batch_size"] = args.batch
    if args.warmup is not None:
        base["warmup_steps"] = args.warmup
    if args.steps is not None:
        base["steps"] = args.steps
    return {"preset": "engines", "base": base, "blocks": args.blocks}


def flags(args, engines):
    words = ["--silence-seconds", str(SILENCE), "--feed", "all=off", "--metadata", "off"]
    for engine in engines:
        words += ["--engine", engine]
    return words + (["--price-per-hour", str(args.price)] if args.price else [])


def described(run):
    """What an engine says of itself: software, library, instruction set."""
    details = run["engine_details"] or {}
    words = (run["software"], details.get("library"), details.get("isa"),
             details.get("emulated") and "emulated")
    return ", ".join(word for word in words if word)


def numbers(cell):
    """Median, interval, ratio to ours, dollars a million samples; "-" where one is not known."""
    speed, interval = cell["samples_per_second"], cell["interval"]
    ratio, cost = cell["ratio_to_first"], cell["dollars_per_million_samples"]
    return (f"{speed:.3g}" if speed else "-",
            f"{interval['low']:.3g} to {interval['high']:.3g}" if interval else "-",
            "1" if cell["cell"] == 0 else
            f"{ratio['value']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})" if ratio else "-",
            f"{cost['value']:.3g}" if cost else "-")


def row(service, cell):
    run = service.ask(f"/v1/runs/{cell['runs'][-1]['id']}")
    software = described(run)
    if not cell["valid_runs"] and run["reason"]:
        software += f"; {run['reason']}"
    return " | ".join(("| " + cell["name"].removeprefix("engine="), *numbers(cell),
                       f"{cell['valid_runs']} of {len(cell['runs'])}", software + " |"))


def table(service, sweep):
    base = sweep["request"]["base"]
    yield f"{base['workload']}, {base['precision']}, batch {base['batch_size']}, {sweep['created_at'][:10]}, on"
    yield f"{describe(service.machine())}."
    yield ""
    yield ("| engine | samples/s | 95 % | to ours | dollars a million | valid runs | software |")
    yield "|---|---|---|---|---|---|---|"
    for cell in sweep["cells"]:
        yield row(service, cell)
    why = reasons(service, sweep)
    if why:
        yield ""
        yield f"Runs that were not used: {why}."


def main():
    args = options()
    engines = environments.engines(args.folder.absolute(), args.only or environments.ENVIRONMENTS)
    if not engines:
        raise SystemExit(f"no engine is installed in {args.folder}: run ./test peers first")
    with tempfile.TemporaryDirectory() as place:
        service = Service(place, *flags(args, engines))
        try:
            sweep = service.sweep(request(args))
            if args.json:
                args.json.write_text(json.dumps(sweep, indent=1) + "\n")
            print("\n".join(table(service, sweep)))
        finally:
            service.stop()
    return 0 if all(cell["valid_runs"] for cell in sweep["cells"]) else 1


if __name__ == "__main__":
    sys.exit(main())
