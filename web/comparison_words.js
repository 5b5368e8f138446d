// The rows of the comparison in words, and the sentence that sums them up.
import { h } from './dom.js';
import { href } from './state.js';
import { age, dollars, hours, interval, moment, number, words } from './format.js';

// An exact count, with all digits.
export const count = (value) => value.toLocaleString('en');

// A job with only a published time has no samples.
export const unit = (row) => (row.unit === 'job' ? 'jobs' : 'samples');

export const nameOf = (row) => row.instance_type ?? 'unknown type';

export const measuredHere = (row) => row.senders.some((each) => each.provenance === 'measured');

const LONG = 64; // characters; a longer name gets lines of its own

// Names are foreign text: bdi isolates their direction.
export const name = (row, text = nameOf(row)) =>
  h('bdi', { class: `instance${row.instance_type ? '' : ' unknown'}${text.length > LONG ? ' long' : ''}` }, text);

export const runLink = (row, ...content) =>
  row.newest_run ? h('a', { href: href({ view: 'run', id: row.newest_run }, {}) }, ...content) : content;

export const counts = (throughput) => {
  if (!throughput || throughput.level === 'point') return null;
  const { runs, vms } = throughput;
  const machines = vms === 0 ? 'unknown number of VMs' : vms === 1 ? 'one VM' : `${count(vms)} VMs`;
  return `${machines}, ${runs === 1 ? 'one run' : `${count(runs)} runs`}`;
};

export const FRESHNESS = { stale: 'stale', expired: 'expired', published: 'as of its publication' };

// "on demand, 2 hours ago, given by a person"
export const priceSource = (price) => {
  const where = [price.region, price.zone].filter(Boolean).join(', ');
  const seen = price.freshness === 'published' ? `of ${moment(price.valid_from)}`
    : `seen ${age(price.fetched_at ?? price.source_time)}`;
  return [price.kind === 'typed' ? 'entered by a user' : words(price.kind), where, seen,
    price.kind !== 'typed' && price.label, price.third_party && 'third party'].filter(Boolean).join(', ');
};

// Properties in which rows of one type may differ, the most useful first.
const distinctions = (row) => [row.provenance,
  ...Object.entries(row.configuration).map(([key, value]) => (typeof value === 'string' ? value : `${words(key)} ${value}`)),
  row.stratum, row.engine].filter(Boolean);

// A distinct name for each row. Rows of one type add the one property that only they have, or else
// all properties in which they differ.
export const labels = (rows) => {
  const groups = new Map();
  for (const row of rows) groups.set(nameOf(row), [...(groups.get(nameOf(row)) ?? []), row]);
  const result = new Map();
  for (const [text, group] of groups) {
    const has = new Map(); // number of rows with it
    for (const row of group)
      for (const each of new Set(distinctions(row))) has.set(each, (has.get(each) ?? 0) + 1);
    for (const row of group) {
      const own = distinctions(row).filter((each) => has.get(each) < group.length);
      const alone = own.find((each) => has.get(each) === 1);
      result.set(row, [text, ...(alone ? [alone] : own)].join(', '));
    }
  }
  return result;
};

export const perDollar = (row) => `${interval(row.samples_per_dollar)} ${unit(row)} per dollar`;
export const anHour = (price) => `${dollars(price.price_per_hour)} an hour (${priceSource(price)})`;

const MEASURES = {
  samples_per_dollar: {
    best: (workload) => ['Most training per dollar for ', workload],
    of: perDollar,
  },
  throughput: {
    best: (workload) => ['Fastest training of ', workload],
    of: (row) => `${interval(row.throughput)} ${unit(row)} per second`,
  },
  total_dollars: {
    best: (workload) => ['Least in total for ', workload, ', including the cost of waiting'],
    of: ({ job }) => `${dollars(job?.total_dollars)}: ${dollars(job?.dollars)} for the machine and ` +
      `${dollars(job?.waiting_dollars)} for ${hours(job?.hours)} of waiting`,
  },
  utility: { best: (workload) => ['Highest value of the formula for ', workload], of: (row) => number(row.utility) },
};
const measureOf = (answer) => MEASURES[answer.question.sort] ?? MEASURES.samples_per_dollar;

const enumerate = (items) =>
  items.flatMap((item, i) => [i === 0 ? '' : i === items.length - 1 ? ' and ' : ', ', item]);

const NAMED = 4; // rows listed by name; the rest are counted

// "2", or "1 to 3": the true rank lies between.
export const rankText = ({ rank }) => (rank.low === rank.high ? `${rank.low}` : `${rank.low} to ${rank.high}`);

// The first is the highest number; no row is surely better than the others that may be best.
const ranked = (answer, rows) => {
  const measure = measureOf(answer);
  const [first, ...others] = rows.filter((row) => row.may_be_best);
  const names = labels([first, ...others]);
  const equals = others.slice(0, NAMED).map((row) => name(row, names.get(row)));
  if (others.length > NAMED) equals.push(`${count(others.length - NAMED)} more`);
  return [measure.best(h('bdi', {}, answer.question.workload)), ': ',
    h('strong', {}, runLink(first, name(first, names.get(first)))), `, ${measure.of(first)}`,
    equals.length > 0 && ['; as good as it may be ', enumerate(equals)], '.'].flat();
};

// Why no row has a rank: the reasons, by number of rows.
const unranked = (answer, rows, isFiltered) => {
  const workload = h('bdi', {}, answer.question.workload);
  if (rows.length === 0)
    return [isFiltered ? 'No run and no figure matches these filters for ' : 'There is no run and no figure yet for ', workload, '.'];
  if (rows.every((row) => row.provenance === 'published')) {
    const [first] = rows.filter((row) => row.samples_per_dollar);
    return [isFiltered ? 'Only published figures match these filters for ' : 'No run has been measured yet for ', workload,
      isFiltered ? ', ' : ': these are published figures, ', 'without intervals, so nothing is ranked.',
      first && [' The highest of them is ', name(first), `, ${measureOf(answer).of(first)}`,
        first.price && ` at ${anHour(first.price)}`, '.']].flat(2);
  }
  const reasons = new Map();
  for (const row of rows)
    if (row.provenance !== 'published') reasons.set(row.why_no_rank, (reasons.get(row.why_no_rank) ?? 0) + 1);
  const [why, times] = [...reasons].sort((a, b) => b[1] - a[1])[0];
  return ['Nothing can be ranked for ', workload, ': ', h('bdi', {}, why),
    times > 1 ? ` (and ${count(times - 1)} more like it).` : '.'];
};

// isFiltered: the filters may hide rows.
export const sentence = (answer, rows, isFiltered) =>
  (rows.some((row) => row.may_be_best) ? ranked(answer, rows) : unranked(answer, rows, isFiltered)).filter(Boolean);

export const capital = (text) => text && text.charAt(0).toUpperCase() + text.slice(1);

const ratioWords = { better: 'better than', worse: 'worse than', cannot_be_told_apart: 'cannot be told apart from',
  no_interval: 'against (no interval)' };

export const ratio = (value) => (value ? `${interval(value)} ×` : 'unknown');
// The reference itself has no verdict.
export const verdict = (value) => (value.low === 1 && value.high === 1 ? 'the reference' : words(value.verdict));

// Tells readers of the first line that a published figure is higher.
const higher = (first, rows) => {
  const best = rows.find((row) => row.provenance === 'published' && row.samples_per_dollar?.value > first.samples_per_dollar?.value);
  return best && ['A published figure is higher (', name(best), `, ${perDollar(best)}), but has no interval and no rank.`];
};

// Facts behind the answer: counts, price with age and source, the reference, one VM.
export const evidence = (answer, rows) => {
  const first = rows.find((row) => row.may_be_best);
  if (!first) return [];
  const perDollarRatio = first.to_reference?.samples_per_dollar;
  const { price, throughput } = first;
  const kinds = [...new Set(rows.filter((row) => row.rank && row.price).map((row) => row.price.choice))];
  return [
    [capital(counts(throughput)), price && anHour(price)].filter(Boolean).join('; ') + '.',
    !throughput.generalisable && `It says little about other machines of this type (${throughput.words}).`,
    price && price.freshness in FRESHNESS && price.freshness !== 'published' && `The price is ${FRESHNESS[price.freshness]}.`,
    first.stale && `Its measurement is old: ${first.stale}.`,
    perDollarRatio && first.id !== answer.question.reference && nameOf(first) !== answer.question.reference &&
      ['Per dollar it is ', ratio(perDollarRatio), ', ', ratioWords[perDollarRatio.verdict], ' ', h('bdi', {}, answer.question.reference), '.'],
    first.to_reference?.mixed_kinds && 'The two prices are of different kinds.',
    answer.question.sort === 'samples_per_dollar' && higher(first, rows),
    kinds.length > 1 && `The rows have prices of different kinds: ${kinds.map(words).join(', ')}.`,
  ].filter(Boolean);
};

export const badges = (row) => {
  const list = [];
  if (row.provenance !== 'measured') list.push([row.provenance, row.provenance]);
  if (row.throughput && !row.throughput.generalisable && row.throughput.level !== 'point')
    list.push([row.throughput.vms === 2 ? 'two VMs' : 'one VM', 'warn']);
  if (row.stale) list.push(['old measurement', 'warn']);
  if (row.throughput?.warned > 0) list.push([`${count(row.throughput.warned)} with warnings`, 'warn']);
  if (row.pareto) list.push(['Pareto', 'good']);
  return list.map(([text, kind]) => h('span', { class: `badge ${kind}` }, text));
};

// A short form, for the details of a mark in a chart.
export const brief = (row, perDollarRatio = row.to_reference?.samples_per_dollar) => [
  row.rank ? `rank ${rankText(row)}` : `not ranked: ${row.why_no_rank ?? 'unknown'}`,
  row.samples_per_dollar ? perDollar(row) : `${unit(row)} per dollar unknown`,
  row.throughput && `${interval(row.throughput)} ${unit(row)} per second`,
  row.price ? anHour(row.price) : `price unknown: ${row.why_no_price ?? 'no reason given'}`,
  counts(row.throughput) ?? row.throughput?.words,
  perDollarRatio && `${ratio(perDollarRatio)} the reference (${verdict(perDollarRatio)})`,
].filter(Boolean);
