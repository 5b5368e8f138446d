// The columns of the comparison, with sort key and cell. `id` is the name in the address.
import { h } from '../dom.js';
import { age, dollars, half, hours, interval, moment, number, percent, words } from '../format.js';
import { commitmentWords } from '../parts.js';
import { href, state } from '../state.js';
import { FRESHNESS, badges, count, counts, name, priceSource, rankText, runLink, unit, verdict } from '../comparison_words.js';
import { rankBar } from '../parts.js';

const small = (...content) => h('span', { class: 'small' }, ...content);
const unknown = (why) => [h('span', { class: 'unknown' }, 'unknown'), why && small(why)];

const amount = (value, half_) => (value === null || value === undefined ? unknown() : number(value, half_));

// A value with its interval below, both rounded to the digits that the interval allows.
const measured = (estimate, after) => {
  if (!estimate) return unknown();
  const width = half(estimate);
  return [number(estimate.value, width), after,
    estimate.low === null ? small('no interval') : small(`${number(estimate.low, width)} to ${number(estimate.high, width)}`)];
};

const price = (row) => {
  if (!row.price) return unknown();
  const { price_per_hour: value, low, high, factor, factor_note: note, list_price_per_hour: list, freshness, kind, commitment } = row.price;
  return [dollars(value), ' ',
    freshness in FRESHNESS && freshness !== 'published' && h('span', { class: 'badge warn' }, FRESHNESS[freshness]),
    low !== null && low !== high && small(`${dollars(low)} to ${dollars(high)} in seven days`),
    commitment && small(`${words(kind)}, ${commitmentWords(commitment)}`),
    factor < 1 && small(`${factor.toLocaleString('en')} × ${dollars(list)}`, note && [', ', h('bdi', {}, note)]),
    small(priceSource(row.price))];
};

// The spot history: "$0.2 to $0.6 in 7 days, 71 % of the time above on demand".
const past = ({ days, low, high, share_above_on_demand: above }) => small(
  `${dollars(low)} to ${dollars(high)} in ${days} days`, above !== null && `, ${percent(above)} of the time above on demand`);

// Samples per dollar at one price kind, and the price, independent of the ranking's kind.
const side = (kind) => (row) => {
  const { samples_per_dollar: perDollar, price: paid, why_no_price: why } = row.kinds[kind];
  if (!perDollar) return unknown(why && h('bdi', {}, why));
  return [measured(perDollar, row.unit === 'job' && ' jobs'), small('at ', dollars(paid.price_per_hour), ' an hour, ', priceSource(paid)),
    kind === 'spot' && row.spot_history?.filter(({ low, high }) => low < high).map(past)];
};

const sideJob = (kind) => (row) => {
  const { job_dollars: cost, why_no_price: why } = row.kinds[kind];
  if (!cost) return unknown(why && h('bdi', {}, why));
  return [dollars(cost.value), cost.low !== null && small(`${dollars(cost.low)} to ${dollars(cost.high)}`)];
};

const sides = (kind, title) => [
  { id: `${kind}_per_dollar`, title: `Per dollar ${title}`, hint: 'whichever price the ranking goes by', width: 8.5, number: true, most: true,
    value: (row) => row.kinds[kind].samples_per_dollar?.value ?? null, cell: side(kind) },
  { id: `${kind}_dollars`, title: `Dollars of the job ${title}`, hint: 'whichever price the ranking goes by', width: 8, number: true,
    value: (row) => row.kinds[kind].job_dollars?.value ?? null, cell: sideJob(kind) },
];

const configuration = (row) => {
  const entries = Object.entries(row.configuration);
  return entries.length ? entries.map(([key, value]) => `${words(key)} ${value}`).join(', ') : unknown();
};

// Reported capacity events of the type's spot machines.
const capacity = ({ capacity: events }) => (events
  ? [`${count(events.launched)} launched`, small(`${count(events.launch_failed)} failed, ${count(events.preempted)} preempted in ${events.days} days`)]
  : unknown());

// The senders of a row's runs; a name links to the comparison of only this sender's runs.
const COUNTS = { machines: (share) => percent(share), vote: (share) => `one vote, ${percent(share)}`, aside: () => 'contradicts, does not count' };

const senderLink = ({ sender, provenance }) => {
  const words = sender ?? (provenance === 'measured' ? 'measured here' : 'imported by the operator');
  const value = sender ?? (provenance === 'measured' && 'local');
  return value ? h('a', { href: href({ sender: value }) }, h('bdi', {}, words)) : words;
};

const senders = (row) => (row.senders.length
  ? row.senders.map((each) => h('span', { class: 'sender' }, senderLink(each), small(COUNTS[each.counts](each.share))))
  : unknown(row.published && 'published by others'));

// Shown if any run came from elsewhere.
const from = (row) => row.senders.some((each) => each.sender)
  && small('from ', row.senders.flatMap((each, index) => [index > 0 && ', ', senderLink(each), ' ', COUNTS[each.counts](each.share)]));

// Two columns that are empty for the same reason: give the reason once.
const notes = (row) => [h('span', { class: 'badges' }, badges(row)),
  row.why_no_rank && small(h('bdi', {}, `Not ranked: ${row.why_no_rank}`)),
  row.why_no_price && row.why_no_price !== row.why_no_rank && small(h('bdi', {}, row.why_no_price)),
  row.stale && small(h('bdi', {}, row.stale)),
  row.other_versions.map((other) => small(h('bdi', {}, `${number(other.samples_per_second)} a second with ${other.version ?? 'an unknown version'}`))),
  row.published && small(h('bdi', {}, row.published.source), row.published.note && [' ', h('bdi', {}, row.published.note)])];

const job = (take, show) => ({
  number: true, value: (row) => row.job && take(row.job),
  cell: (row) => (row.job && take(row.job) !== null ? show(take(row.job)) : unknown()),
});

const measure = (take, after) => ({
  number: true, value: (row) => take(row)?.value ?? null, cell: (row) => measured(take(row), after?.(row)), most: true,
});

// Links to the other sizes of the type, with the same question.
const ASKED = ['workload', 'engine', 'precision', 'price', 'region', 'zone'];
const sizes = (row) => {
  const now = state();
  return row.instance_type && row.provider && [', ', h('a', { href: href({ view: 'family', instance_type: row.instance_type, provider: row.provider,
    ...Object.fromEntries(ASKED.filter((each) => each in now).map((each) => [each, now[each]])) }) }, 'sizes')];
};

const text = (take) => ({ value: take, cell: (row) => (take(row) ? h('bdi', {}, take(row)) : unknown()) });

export const COLUMNS = [
  { id: 'rank', title: 'Rank', hint: 'the ranks that a row may have; the bar shows them among all', width: 5.5,
    value: (row) => row.rank && row.rank.low + row.rank.high / 1e6,
    cell: (row) => (row.rank ? [rankText(row), rankBar(row.rank, row.ranked)] : h('span', { class: 'unknown' }, 'none')) },
  { id: 'instance', title: 'Instance type', width: 11, heading: true, value: (row) => row.instance_type,
    cell: (row) => [runLink(row, name(row)), small([row.provider, row.stratum].filter(Boolean).join(', ') || 'processor unknown',
      sizes(row))] },
  { id: 'samples_per_dollar', title: 'Per dollar', hint: 'samples, or jobs where only the time of a whole job is known', width: 8.5,
    ...measure((row) => row.samples_per_dollar, (row) => row.unit === 'job' && ' jobs') },
  { id: 'to_reference', title: 'Per dollar, relative to the reference', width: 8.5, number: true, most: true,
    value: (row) => row.to_reference?.samples_per_dollar?.value ?? null,
    cell: ({ to_reference: ratios }) => (ratios?.samples_per_dollar
      ? [measured(ratios.samples_per_dollar, ' ×'), ratios.samples_per_dollar.low !== null && small(verdict(ratios.samples_per_dollar)),
        ratios.mixed_kinds && small('prices of different kinds')]
      : unknown()) },
  { id: 'throughput', title: 'Per second', hint: 'throughput of training', width: 8,
    ...measure((row) => row.throughput, (row) => row.unit === 'job' && ' jobs'),
    cell: (row) => [measured(row.throughput, row.unit === 'job' && ' jobs'), row.tokens_per_second && small(`${interval(row.tokens_per_second)} tokens`)] },
  { id: 'price', title: 'Price an hour', width: 11, number: true, value: (row) => row.price?.price_per_hour ?? null, cell: price },
  { id: 'hours', title: 'Hours of the job', width: 7, ...job((each) => each.hours, hours) },
  { id: 'dollars', title: 'Dollars of the job', width: 8, ...job((each) => each.dollars, dollars) },
  { id: 'total_dollars', title: 'Total with waiting', width: 8, ...job((each) => each.total_dollars, dollars) },
  { id: 'probability', title: 'Probability', hint: 'of keeping the deadline or the budget', width: 8, number: true, most: true,
    value: (row) => row.job?.prospect?.probability ?? null,
    cell: ({ job: forecast }) => (forecast?.prospect
      ? [percent(forecast.prospect.probability), small(`${hours(forecast.prospect.hours_low)} to ${hours(forecast.prospect.hours_high)}`)]
      : unknown()) },
  { id: 'in_parallel', title: 'In parallel', hint: 'instances that would keep the deadline', width: 8, number: true,
    value: (row) => row.job?.in_parallel?.instances ?? null,
    cell: (row) => (row.job?.in_parallel ? [count(row.job.in_parallel.instances), small(row.job.in_parallel.words)] : unknown()) },
  { id: 'utility', title: 'Formula', width: 8, number: true, most: true, value: (row) => row.utility, cell: (row) => amount(row.utility) },
  { id: 'evidence', title: 'Evidence', width: 8, most: true, value: (row) => row.throughput?.runs ?? null,
    cell: (row) => [counts(row.throughput) ?? small(row.throughput?.words ?? 'no valid run'), from(row)] },
  { id: 'notes', title: 'Notes', width: 16, value: (row) => row.why_no_rank, cell: notes },
  { id: 'dollars_per_million', title: 'Dollars a million samples', width: 9,
    ...measure((row) => row.dollars_per_million_samples), most: false },
  { id: 'hours_per_million', title: 'Hours a million samples', width: 9, ...measure((row) => row.hours_per_million_samples), most: false },
  ...sides('on_demand', 'on demand'), ...sides('spot', 'on spot'),
  { id: 'on_demand', title: 'On demand', width: 6, number: true, value: (row) => row.prices_per_hour.on_demand,
    cell: (row) => (row.prices_per_hour.on_demand === null ? unknown() : dollars(row.prices_per_hour.on_demand)) },
  { id: 'spot', title: 'Spot', width: 8, number: true, value: (row) => row.prices_per_hour.spot,
    cell: (row) => (row.prices_per_hour.spot === null ? unknown() : [dollars(row.prices_per_hour.spot),
      row.prices_per_hour.spot_discount_percent !== null && small(`${number(row.prices_per_hour.spot_discount_percent)} % off`)]) },
  { id: 'interruptions', title: 'Interruptions', width: 9, ...text((row) => row.interruption_band ?? row.job?.interruptions?.words) },
  { id: 'capacity', title: 'Spot capacity', hint: 'launches of spot machines, as they were reported', width: 9, number: true, most: true,
    value: (row) => row.capacity?.failed_share ?? null, cell: capacity },
  { id: 'break_even_price', title: 'Break-even price', hint: 'an hour, against the reference', width: 8, number: true,
    value: (row) => row.to_reference?.break_even_price_per_hour ?? null,
    cell: (row) => (row.to_reference ? dollars(row.to_reference.break_even_price_per_hour) : unknown()) },
  { id: 'break_even_speed', title: 'Break-even per second', hint: 'against the reference', width: 8, number: true,
    value: (row) => row.to_reference?.break_even_samples_per_second ?? null,
    cell: (row) => amount(row.to_reference?.break_even_samples_per_second) },
  { id: 'billing', title: 'Billing', width: 12, ...text((row) => row.job?.billing) },
  { id: 'processor', title: 'Processor', width: 12, ...text((row) => row.cpu_model) },
  { id: 'isa', title: 'Instruction set', width: 8, ...text((row) => row.isa) },
  { id: 'utilisation', title: 'Utilisation', hint: 'an estimate', width: 9, number: true, most: true,
    value: (row) => row.utilisation?.share ?? null,
    cell: (row) => (row.utilisation ? [percent(row.utilisation.share), small(row.utilisation.words)] : unknown()) },
  { id: 'engine', title: 'Engine', width: 9, ...text((row) => row.engine) },
  { id: 'software', title: 'Software', width: 11, ...text((row) => row.software) },
  { id: 'configuration', title: 'Configuration', width: 13, value: (row) => JSON.stringify(row.configuration),
    cell: (row) => h('bdi', {}, configuration(row)) },
  { id: 'senders', title: 'Measured by', hint: 'whose runs, and what they count for', width: 11,
    value: (row) => row.senders.map((each) => each.sender ?? '').join(' ') || null, cell: senders },
  { id: 'measured_at', title: 'Measured', width: 9, value: (row) => row.measured_at, most: true,
    cell: (row) => (row.measured_at ? [age(row.measured_at), small(moment(row.measured_at))] : unknown()) },
];

// The default columns: the answer at the requested price kind, next to it at the other kind, and the question's
// parameters.
export const usual = (state) => {
  const asked = (...names) => names.some((each) => state[each]);
  const job = asked('samples', 'epochs', 'job_seconds', 'deadline', 'deadline_h', 'budget', 'hourly_value');
  const others = ['on_demand', 'spot'].filter((kind) => kind !== (state.price ?? 'on_demand').split(',')[0]);
  return ['rank', 'instance', 'samples_per_dollar', ...others.map((kind) => `${kind}_per_dollar`),
    asked('reference') && 'to_reference', 'throughput', 'price', job && 'hours', job && 'dollars',
    ...others.map((kind) => job && `${kind}_dollars`), asked('hourly_value') && 'total_dollars', asked('deadline', 'deadline_h', 'budget') && 'probability',
    asked('utility') && 'utility', state.configuration === 'all' && 'configuration', 'evidence', 'notes'].filter(Boolean);
};

// All words of a row in lower case, for the text filter.
export const haystack = (row) =>
  [row.instance_type, row.provider, row.stratum, row.cpu_model, row.engine, row.software, row.isa, row.provenance,
    ...row.senders.map((each) => each.sender),
    JSON.stringify(row.configuration), row.why_no_rank, row.price && priceSource(row.price), row.published?.source,
    row.rank && unit(row)].filter(Boolean).join(' ').toLowerCase();
