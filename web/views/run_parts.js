// The parts of the page of one run.
import { get, open } from '../api.js';
import { announce, h, problem, s } from '../dom.js';
import { dollars, half, interval, moment, number, percent, words } from '../format.js';
import { facts, foreign, labels, priceSource, priceWords, table, unknown, validity, whole } from '../parts.js';
import { href } from '../state.js';

export const section = (name, ...content) => {
  const id = `part-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
  return h('section', { 'aria-labelledby': id }, h('h2', { id }, name), content);
};

const size = (bytes) => {
  if (bytes === null || bytes === undefined) return null;
  const [unit, name] = [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'bytes']].find(([each]) => bytes >= each || each === 1);
  return `${number(bytes / unit)} ${name}`;
};
const yes = (value) => (value === null || value === undefined ? null : value ? 'yes' : 'no');

// A run that is not ranked has a number without an interval.
export const throughput = ({ summary, validity: found }) => {
  const sure = found?.level === 'invalid' ? null : summary?.interval;
  return summary && { value: summary.samples_per_second, low: sure?.low ?? null, high: sure?.high ?? null };
};

// A headline number with its interval and notes.
const amount = (name, value, unit, noted, show = number) => {
  const width = half(value);
  const sure = !value ? null : value.low === null ? 'no interval' : `95 %: ${show(value.low, width)} to ${show(value.high, width)}`;
  return h('div', { class: 'amount' },
    h('p', { class: 'amount-name' }, name),
    h('p', { class: 'headline' }, value ? show(value.value, width) : 'unknown', ' ', value && h('span', { class: 'unit' }, unit)),
    h('p', { class: 'amount-interval' }, sure),
    h('p', { class: 'note' }, noted));
};

// Load by others is not a property of the machine.
const undisturbed = ({ interval: sure, idle_samples_per_second: idle }) =>
  (sure?.disturbance_percent > 2 ? `; undisturbed about ${number(idle)} samples/s` : '');

export const amounts = (run) => {
  const speed = throughput(run);
  const { cost } = run;
  const noPrice = unknown(cost?.why_no_price ?? 'no price was known when it ran');
  const priced = cost?.price ? [priceWords(cost.price), '; ', priceSource(cost.price)] : [noPrice];
  const paid = cost?.why_not_ranked ? [`not ranked: ${cost.why_not_ranked}; `, ...priced] : priced;
  return h('div', { class: 'amounts' },
    amount('Training per dollar', cost?.samples_per_dollar, 'samples', paid),
    amount('Throughput', speed, 'samples/s',
      `${run.tokens_per_second ? `${interval(run.tokens_per_second)} tokens/s; ` : ''}of ${whole(run.summary.measured_steps)} steps in ${number(run.summary.measured_seconds)} s${undisturbed(run.summary)}; one run on one machine says little about its type`),
    amount('A million samples', cost?.dollars_per_million_samples, '',
      [!cost?.price && noPrice.cloneNode(true), cost?.hours_per_million_samples && `${cost.price ? '' : '; '}${interval(cost.hours_per_million_samples)} hours`], dollars));
};

const FIRST = { invalid: 0, warn: 1, unknown: 2, ok: 3 };

// Findings in order: invalid, warnings, unknown, fine.
export const findings = ({ validity: found }) => {
  if (!found) return h('p', {}, unknown('not judged, because the run did not finish'));
  const head = { ok: 'Valid: it may be ranked.', warn: 'Valid, with a warning: it may be ranked.', invalid: 'Invalid: it is kept, but never ranked.' };
  const list = [...(found.findings ?? [])].sort((one, other) => FIRST[one.level] - FIRST[other.level]);
  return h('div', { class: `findings ${found.level}` }, h('p', {}, validity(found.level, head[found.level])),
    h('ul', {}, list.map((finding) => h('li', {}, validity(finding.level, ''), h('span', { class: 'hidden' }, `${finding.level}: `), ' ', finding.words))));
};

const FAILURES = {
  failed: 'The run failed',
  cancelled: 'The run was cancelled',
  interrupted: 'The run was interrupted',
  preempted: 'The run was preempted',
};

// Why a run has no result.
export const failure = (run) =>
  h('div', { class: 'problem' }, h('p', {}, FAILURES[run.state], ': ', run.reason ? foreign(run.reason) : 'no reason is known', '.'),
    run.stderr_tail && h('details', { open: true }, h('summary', {}, 'End of the engine’s error output'), h('pre', { class: 'foreign', tabindex: 0 }, run.stderr_tail)));

const PARTS = ['input', 'forward', 'backward', 'update', 'communication'];

const splitBar = (parts, total) => {
  let at = 0;
  const bars = parts.map(({ name, seconds }, i) => {
    const bar = s('rect', { class: `split-${i + 1}`, x: `${(at / total) * 100}%`, y: 0, width: `${(seconds / total) * 100}%`, height: 28 }, s('title', {}, `${name}: ${percent(seconds / total)}`));
    at += seconds;
    return bar;
  });
  return s('svg', { class: 'split-bar', role: 'img', width: '100%', 'aria-labelledby': 'split-title split-description' },
    s('title', { id: 'split-title' }, 'Where the time of a step goes'),
    s('desc', { id: 'split-description' }, parts.map(({ name, seconds }) => `${name} ${percent(seconds / total)}`).join(', ')), bars);
};

export const split = (run) => {
  const known = run.summary?.split;
  if (!known) return h('p', {}, unknown('the engine does not report where the time goes'));
  const parts = PARTS.map((name) => ({ name, seconds: known[`${name}_seconds`] }));
  const total = parts.reduce((sum, part) => sum + part.seconds, 0);
  const step = run.summary.measured_seconds / run.summary.measured_steps;
  const rest = Math.max(0, step - total);
  if (rest > step / 1000) parts.push({ name: 'not reported', seconds: rest });
  const key = (i) => s('svg', { class: 'key', width: 12, height: 12, 'aria-hidden': 'true' }, s('rect', { class: `split-${i + 1}`, width: 12, height: 12 }));
  return h('div', {}, splitBar(parts, Math.max(step, total)),
    table('Mean of the measured steps', [
      { name: 'Part', head: true, cell: (part) => [key(parts.indexOf(part)), ' ', part.name] },
      { name: 'Milliseconds', number: true, cell: (part) => number(part.seconds * 1000) },
      { name: 'Share', number: true, cell: (part) => percent(part.seconds / Math.max(step, total)) },
    ], parts));
};

export const warmUpFacts = ({ summary }) => [
  ['Warm-up', `${whole(summary.warmup.steps)} steps, ${number(summary.warmup.seconds)} s: ${words(summary.warmup.class)}`],
  ['Steady state', summary.warmup.steady_state ? 'reached' : 'not reached'],
  ['Median step', summary.median_interval
    ? `${interval({ value: summary.median_step_seconds * 1000, low: summary.median_interval.low * 1000, high: summary.median_interval.high * 1000 })} ms`
    : `${number(summary.median_step_seconds * 1000)} ms`],
  ['Outliers', `${whole(summary.outliers.count)}, ${percent(summary.outliers.share_of_time)} of the time`],
  ['Stalls', summary.skewed ? 'yes: mean and median differ by more than 2 %' : 'none that matter'],
  ['Variation of steps', percent(summary.coefficient_of_variation)],
  ['Until the first step was done', `${number(summary.init_seconds)} s`],
  ['Loss', `${number(summary.loss.first)} at first, ${number(summary.loss.last)} at last`],
];

const shown = (value) => (value === null ? 'no limit' : typeof value === 'number' ? whole(value) : foreign(words(value)));

export const specFacts = (spec) =>
  facts(Object.entries(spec).filter(([name]) => name !== 'labels').map(([name, value]) =>
    [words(name), name === 'target_percent' ? number(value) : name === 'max_dollars' && value !== null ? dollars(value) : shown(value)]));

export const engineFacts = (run) => {
  const details = run.engine_details ?? {};
  return facts([
    ['Engine', run.software && foreign(run.software)],
    ['Library', details.library && foreign(details.library)],
    ['Instructions used', details.isa && foreign(details.isa)],
    ['Plan', details.plan && foreign(words(details.plan))],
    ['Layout of images', details.layout && foreign(details.layout)],
    ['Threads', details.threads],
    ['Precision emulated', yes(details.emulated)],
    ['Huge pages', yes(details.huge_pages)],
    ['Parameters', details.parameters && whole(details.parameters)],
    ['Multiply-adds a sample, forward', details.multiply_adds && whole(details.multiply_adds)],
    ['Multiply-adds a sample, backward', details.backward_multiply_adds && whole(details.backward_multiply_adds)],
    ['Memory planned', size(details.memory_bytes)],
    ['Memory at most', size(run.peak_memory_bytes)],
    ['Allocator loaded', run.loaded?.allocator],
    ['OpenMP loaded', run.loaded?.openmp],
    ['Samples trained', run.samples && whole(run.samples)],
    run.gradient_cosine !== null && ['Gradient, cosine to f32', number(run.gradient_cosine)],
  ]);
};

// For a run, or for the identity of this machine.
export const placeFacts = (of) =>
  [['Instance', of.instance_type && foreign(of.instance_type)], ['Provider', of.provider], ['Region', of.region], ['Zone', of.zone]];

export const hardwareFacts = (machine) => [
  ['Processor', machine.cpu_model && foreign(machine.cpu_model)], ['Cores', `${machine.cores}, ${machine.processors} hardware threads`],
  ['Instruction set', machine.isa], ['Memory', size(machine.memory_bytes)],
];

export const priceFacts = ({ price, why_no_price: why }) =>
  [['An hour costs', price ? priceWords(price) : unknown(why)], price && ['Source', priceSource(price)]];

export const machineFacts = async (run, signal) => {
  const known = [...placeFacts(run), ['Virtual machine', run.vm], ['Fingerprint', run.machine]];
  if (!run.machine) return facts(known);
  const { facts: machine, stratum } = await get(`/v1/machines/${run.machine}`, {}, { signal });
  return h('div', {}, facts([
    ...known, ['Comparable with', stratum], ...hardwareFacts(machine), ['Packages, NUMA nodes', `${machine.packages}, ${machine.numa_nodes}`],
    ['Granted by the control group', machine.quota_processors === null ? 'no limit known' : `${number(machine.quota_processors)} processors`],
    ['Memory limit', size(machine.memory_limit_bytes) ?? 'none known'],
    ['Caches L1d, L2, L3', ['l1d', 'l2', 'l3'].map((name) => size(machine.caches[`${name}_bytes`]) ?? 'unknown').join(', ')],
    ['Hypervisor', machine.hypervisor], ['Clock governor', machine.governor], ['Clock source', machine.clock_source],
    ['Microcode', machine.microcode], ['Huge pages', machine.huge_pages && foreign(machine.huge_pages)],
    ['Kernel', machine.kernel && foreign(machine.kernel)], ['Distribution', machine.distribution && foreign(machine.distribution)],
    ['pennyworth', `${machine.software.version} (${machine.software.commit})`], ['Compiler', machine.software.compiler],
  ]), h('details', {}, h('summary', {}, `${machine.cpu_flags.length} processor flags`), h('p', { class: 'foreign' }, machine.cpu_flags.join(' '))));
};

export const implementations = async (run, signal) => {
  const { implementations: all } = await get(`/v1/runs/${run.id}/implementations`, {}, { signal });
  if (!all) return h('p', {}, unknown('the engine did not report its implementations'));
  const passes = [...new Set(Object.values(all).flatMap((each) => Object.keys(each)))];
  const cell = (name) => (name === undefined ? 'not reported' : foreign(name));
  return table('Implementation of each layer', [
    { name: 'Layer', head: true, cell: ([layer]) => foreign(layer) },
    ...passes.map((pass) => ({ name: words(pass), cell: ([, each]) => cell(each[pass]) })),
  ], Object.entries(all));
};

// A download that works with a token and requests the named format.
const download = (text, path, name, type) =>
  h('a', { href: path, download: name, onclick: async (event) => {
    event.preventDefault();
    try {
      const body = await (await open('GET', path, { headers: { Accept: type } })).blob();
      const link = h('a', { href: URL.createObjectURL(body), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    } catch (error) {
      announce(`${text}: ${error.message}`);
    }
  } }, text);

export const downloads = ({ id }) =>
  h('ul', { class: 'links' },
    h('li', {}, download('The run (JSON)', `/v1/runs/${id}`, `${id}.json`, 'application/json')),
    h('li', {}, download('Its steps (CSV)', `/v1/runs/${id}/steps`, `${id}-steps.csv`, 'text/csv')),
    h('li', {}, download('Its steps (JSON)', `/v1/runs/${id}/steps`, `${id}-steps.json`, 'application/json')),
    h('li', {}, download('Evidence about the machine (JSON)', `/v1/runs/${id}/evidence`, `${id}-evidence.json`, 'application/json')));

const compared = ({ identical, stored, recomputed }) => {
  if (identical) return h('p', {}, validity('ok', 'Recomputed from the stored steps: the same numbers, to the last digit.'));
  const speed = (judgement) => (judgement.summary ? interval(throughput(judgement)) : 'none');
  return h('p', {}, validity('invalid', 'The recomputed numbers differ. '),
    `Stored: ${speed(stored)} samples/s, ${stored.validity?.level ?? 'not judged'}; recomputed: ${speed(recomputed)}, ${recomputed.validity?.level ?? 'not judged'}.`);
};

export const recompute = ({ id }) => {
  const answer = h('div', { role: 'status' });
  const button = h('button', { type: 'button', onclick: async () => {
    button.disabled = true;
    answer.replaceChildren('Recomputing …');
    try {
      answer.replaceChildren(compared(await get(`/v1/runs/${id}/recompute`)));
    } catch (error) {
      answer.replaceChildren(problem(error));
    }
    button.disabled = false;
  } }, 'Recompute the number from the steps');
  return h('div', {}, button, answer);
};

// The whole spec, so that later changes of defaults do not change the measurement.
export const again = ({ spec }) => {
  const { labels: named, ...rest } = spec;
  return href({ view: 'measure', ...rest, label: Object.entries(named).map(([key, value]) => `${key}=${value}`) });
};

const ENDS = {
  all_steps: 'all steps are done',
  target: 'the interval is as narrow as requested',
  time_up: 'the time is up',
  dollars_up: 'the money is spent',
  little_more: 'the target is out of reach, and more time would have narrowed the interval little',
};

export const times = (run) => facts([
  ['Id', foreign(run.id)],
  ['Asked for', moment(run.created_at)], ['Begun', run.started_at ? moment(run.started_at) : 'not yet'],
  ['Ended', run.ended_at ? moment(run.ended_at) : 'not yet'], run.ended_by && ['Why it ended', ENDS[run.ended_by] ?? words(run.ended_by)],
  run.sweep && ['Part of', h('a', { href: href({ view: 'sweep', id: run.sweep.id }) }, `a sweep, cell ${run.sweep.cell}, block ${run.sweep.block}`)],
  ['Labels', labels(run.spec.labels) ?? 'none'],
]);
