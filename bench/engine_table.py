"""Figures from trainings: medians, ratios within rounds with their intervals, and the table."""
import random
import statistics

# Three passes (forward, and two of backward) of ResNet-50's 4.09 G multiply-adds.
GFLOP_PER_SAMPLE = 24.5
RESAMPLES = 4000
# Below this no 95 % interval of a median exists, so the range is printed instead.
ROUNDS_FOR_AN_INTERVAL = 6
# A training during which others had more of our cores than this says nothing of the contestant:
# one that loses a tenth of a core may lose half its speed, waiting for that core at barriers.
DISTURBED = 0.10


def rate(run, batch):
    """Samples a second: by the median step, which one interruption does not move."""
    return batch / (statistics.median(run["nanoseconds"]) / 1e9)


def variation(run):
    """Standard deviation of the steps over their mean, or None for a single step."""
    steps = run["nanoseconds"]
    return statistics.stdev(steps) / statistics.mean(steps) if len(steps) > 1 else None


def interval(ratios):
    """(median, low, high, what low and high are) of ratios, one for each round."""
    middle = statistics.median(ratios)
    if len(ratios) < ROUNDS_FOR_AN_INTERVAL:
        return middle, min(ratios), max(ratios), f"range of {len(ratios)}"
    chance = random.Random(1)  # the same runs always print the same interval
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios)))
                     for _ in range(RESAMPLES))
    low, high = medians[int(RESAMPLES * 0.025)], medians[int(RESAMPLES * 0.975)]
    return middle, low, high, f"95 %, {len(ratios)} rounds"


def peak_of(peaks, precision):
    """GFLOP/s of all cores at best: the roof is what the machine can do, not what it did while
    somebody else was at work. (value, how), or None. Without bf16 instructions f32's is taken."""
    for name in (precision, "f32"):
        best = max(peaks, key=lambda peak: peak[name]["all"], default=None)
        if best and best[name]["all"] > 0:
            return best[name]["all"], f"{name}, {best[name]['how']}"
    return None


def row(runs, batch, roof):
    """The figures of one contestant at one batch and precision."""
    rates = [rate(run, batch) for run in runs]
    varied = [v for v in map(variation, runs) if v is not None]
    middle = statistics.median(rates)
    return {"samples_per_second": middle, "slowest": min(rates), "fastest": max(rates),
            "step_cov": statistics.median(varied) if varied else None,
            "peak_rss_mib": max(run["peak_rss_kib"] for run in runs) / 1024,
            "others_share": statistics.median(run["others_share"] for run in runs),
            "of_peak": middle * GFLOP_PER_SAMPLE / roof[0] if roof else None}


def by_round(runs, batch):
    return {run["round"]: rate(run, batch) for run in runs}


def compare(mine, other):
    """interval() of mine / other over the rounds that have both, or None."""
    ratios = [mine[number] / other[number] for number in sorted(mine.keys() & other.keys())]
    return interval(ratios) if ratios else None


def selected(data, precision, batch, name):
    return [run for run in data["runs"] if (run["precision"], run["batch"], run["contestant"])
            == (precision, batch, name) and "nanoseconds" in run]


def block(data, precision, batch):
    """Everything about one batch size and precision. Disturbed trainings are left out, and a
    contestant that was always disturbed is shown, but compared with no other."""
    roof = peak_of(data["peaks"], precision)
    rows, rounds = {}, {}
    for contestant in data["contestants"]:
        name = contestant["name"]
        runs = selected(data, precision, batch, name)
        calm = [run for run in runs if run["others_share"] <= DISTURBED]
        if runs:
            rows[name] = row(calm or runs, batch, roof)
            rows[name] |= {"ours": contestant["ours"], "calm": len(calm), "all": len(runs)}
            rounds[name] = by_round(calm, batch)
    best = best_of(rows, False)
    ratios = {name: compare(rounds[name], rounds[best]) for name in rows
              if rows[name]["ours"] and best}
    return {"precision": precision, "batch": batch, "roof": roof, "rows": rows,
            "best": best, "ratios": ratios, "rounds": rounds}


def best_of(rows, ours):
    """Chosen after the fact, and so by luck as well: in doubt this flatters the other side."""
    names = [name for name in rows if rows[name]["ours"] == ours and rows[name]["calm"]]
    return max(names, key=lambda name: rows[name]["samples_per_second"], default=None)


def overall(blocks, precision):
    """The best batch of each of ours against the best batch of PyTorch's best, as text lines."""
    own = {}
    theirs = None
    for b in (b for b in blocks if b["precision"] == precision):
        for name, figures in b["rows"].items():
            if not figures["calm"]:
                continue
            entry = (figures["samples_per_second"], b["batch"], name, b["rounds"][name])
            if figures["ours"]:
                own[name] = max(own.get(name, entry), entry, key=lambda e: e[0])
            else:
                theirs = max(theirs or entry, entry, key=lambda e: e[0])
    for name, mine in own.items():
        ratio = compare(mine[3], theirs[3]) if theirs else None
        if ratio:
            yield (f"{precision}, each at its best batch: {name} {mine[0]:.2f}/s at {mine[1]}, "
                   f"{theirs[2]} {theirs[0]:.2f}/s at {theirs[1]}: {as_text(ratio)}")


def as_text(ratio):
    middle, low, high, what = ratio
    return f"{middle:.2f} ({low:.2f}-{high:.2f}, {what})"


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def peak_lines(peaks):
    for precision in ("f32", "bf16") if peaks else ():
        how = peaks[0][precision]["how"]
        one, together = (max(peak[precision][of] for peak in peaks) for of in ("one", "all"))
        yield (f"  peak of {precision} ({how}): {one:.0f} GFLOP/s a core, {together:.0f} together"
               if how else f"  no instructions for {precision}: its shares are of f32's peak")
    for what in ("read", "copy") if peaks and "read" in peaks[0] else ():
        one, together = (max(peak[what][of] for peak in peaks) for of in ("one", "all"))
        yield f"  memory, {what}: {one:.1f} GB/s a core, {together:.1f} together"


def block_lines(b, width):
    yield (f"{b['precision'] + ', batch ' + str(b['batch']):{width}} {'samples/s':>9} "
           f"{'(min-max)':>15} {'step CoV':>9} {'peak RSS':>10} {'of peak':>8} {'others':>7} "
           f"{'calm':>7}")
    for name, r in b["rows"].items():
        spread = f"({r['slowest']:.2f}-{r['fastest']:.2f})"
        note = "" if r["calm"] else "  disturbed"
        yield (f"{name:{width}} {r['samples_per_second']:9.2f} {spread:>15} "
               f"{percent(r['step_cov']):>9} {r['peak_rss_mib']:6.0f} MiB "
               f"{percent(r['of_peak']):>8} {percent(r['others_share']):>7} "
               f"{r['calm']:>2} of {r['all']}{note}")
    for name, ratio in b["ratios"].items():
        if ratio:
            yield f"  {name} / PyTorch's best ({b['best']}): {as_text(ratio)}"


def summary(data):
    """block() of each precision and batch that was measured."""
    places = sorted({(run["precision"], run["batch"]) for run in data["runs"]},
                    key=lambda place: (place[0] != "bf16", place[1]))
    return [block(data, *place) for place in places]


def lines(data):
    """The report, line by line."""
    blocks = summary(data)
    width = max([len(contestant["name"]) for contestant in data["contestants"]] + [20])
    yield f"{data['cpu']}, {len(data['cpus'])} threads; {data['began']}"
    for contestant in data["contestants"]:
        if contestant.get("software"):
            yield f"  {contestant['name']}: {contestant['software']}"
    yield from peak_lines(data["peaks"])
    for b in blocks:
        yield ""
        yield from block_lines(b, width)
    yield ""
    for precision in ("bf16", "f32"):
        yield from overall(blocks, precision)
    for run in data["runs"]:
        if "failed" in run:
            yield (f"failed: {run['contestant']}, {run['precision']}, batch {run['batch']}, round "
                   f"{run['round']}: {run['failed']}")
