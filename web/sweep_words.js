// The results of a sweep in words.
import { interval, number, percent, words } from './format.js';

const PRESETS = {
  matrix: 'A matrix of values',
  ladder: 'Ladder: from plain f32 to a tuned configuration',
  batch: 'Batch sizes',
  input_workers: 'Input workers',
  threads: 'Threads: how it scales',
  isa: 'Instruction sets',
  tune: 'Tune: a search for the fastest',
  aa: 'A/A: one configuration compared with itself',
  engines: 'Engines: native compared with the registered ones',
  clouds2017: 'Clouds 2017: seven networks of an article',
};

export const presetInWords = (preset) => PRESETS[preset] ?? words(preset);

const VERDICTS = { better: 'faster', worse: 'slower', cannot_be_told_apart: 'tie' };
export const verdictInWords = (verdict) => VERDICTS[verdict] ?? words(verdict);

// A ratio is "×1.32 (1.29 to 1.35)", as a change "+32 % (+29 to +35)"; null is null.
export const ratio = (value) => (value ? `×${interval(value)}` : null);
export const change = (value) => {
  if (!value) return null;
  const half = (value.high - value.low) * 50;
  const signed = (share) => {
    const size = number(Math.abs(share - 1) * 100, half);
    return /[1-9]/.test(size) ? `${share >= 1 ? '+' : '−'}${size}` : size;
  };
  return `${signed(value.value)} % (${signed(value.low)} to ${signed(value.high)})`;
};
export const shortChange = (value) => change(value)?.replace(/ \(.*/, '') ?? null;

export const throughput = (cell) =>
  cell.samples_per_second === null ? null : interval({ value: cell.samples_per_second, low: cell.interval?.low ?? null, high: cell.interval?.high ?? null });

// Why a cell has no number.
export const whyNothing = (cell) => {
  const left = cell.runs.filter((run) => run.state === 'queued' || run.state === 'running').length;
  if (cell.refused) return `refused: ${cell.refused}`;
  if (left) return 'not yet: its runs are still queued';
  const lost = [[cell.failed_runs, 'failed'], [cell.invalid_runs, 'not valid'], [cell.voided_runs, 'voided']]
    .filter(([runs]) => runs).map(([runs, how]) => `${count(runs, 'run')} ${how}`);
  return lost.length ? `unknown: ${lost.join(', ')}` : 'unknown: no run of it has finished';
};

export const count = (many, one) => `${many} ${one}${many === 1 ? '' : 's'}`;

const rateOf = ({ pairs, alarms, rate, low, high }) =>
  `${alarms} of ${count(pairs, 'pair')} of equal runs would be called different: ${percent(rate)} (95 % interval ${percent(low)} to ${percent(high)}).`;

const NAMED = 3;
// "cannot be told apart from a, b, c and 2 more"; null for none.
export const tiedInWords = (tied) => {
  const more = tied.length - NAMED;
  return tied.length ? `cannot be told apart from ${tied.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}` : null;
};
const tieOf = ({ cannot_be_told_apart_from: tied }) => (tied.length ? ` It ${tiedInWords(tied)}.` : ' No other is as fast.');

// 0.03 -> "3 %", for a setting, not a measurement.
export const share = (value) => `${Number((value * 100).toFixed(2))} %`;

const workloadsOf = (sweep) => new Set(sweep.cells.map((cell) => cell.spec.workload));
// Whether cells train different workloads, so that no cell is the best of all.
export const isMixed = (sweep) => workloadsOf(sweep).size > 1;
// Whether each cell is the only one of its workload, so that there is nothing to compare.
export const isOneEach = (sweep) => isMixed(sweep) && workloadsOf(sweep).size === sweep.cells.length;

// The answer of a sweep in a sentence or two.
export const answerOf = (sweep) => {
  if (sweep.preset === 'aa')
    return sweep.false_alarms ? `False alarms: ${rateOf(sweep.false_alarms)}` : 'False alarms: unknown, no pair has finished.';
  if (isOneEach(sweep)) return `${count(sweep.cells.length, 'workload')} with one cell each: none is compared with another.`;
  if (isMixed(sweep)) return `${count(workloadsOf(sweep).size, 'workload')}: each is compared with its own kind only.`;
  const numbered = sweep.cells.filter((each) => each.rank !== null);
  if (!sweep.best)
    return numbered.length === 0 ? 'The fastest cell is unknown: no cell has a valid run.'
      : `The fastest cell is unknown: only ${numbered[0].name} has a valid run.`;
  const cell = sweep.cells.find((each) => each.cell === sweep.best.cell);
  const so = sweep.state === 'running' ? 'Fastest so far' : 'Fastest';
  const last = numbered.length > 1 ? tieOf(sweep.best) : ' It is the only one with a number.';
  return `${so}: ${sweep.best.name}, with ${throughput(cell)} samples/s.${last}`;
};

const STATES = { running: 'Running', finished: 'Finished', cancelled: 'Cancelled' };
export const stateInWords = (state) => STATES[state] ?? words(state);

// The request as a state of the page that repeats it; null where the form cannot express it.
export const againOf = ({ request }) => {
  if (!request || request.cells) return null;
  const { base = {}, knobs = {}, ...rest } = request;
  const { labels = {}, ...fields } = base;
  return {
    view: 'measure', form: 'sweep', ...rest, ...fields,
    knob: Object.entries(knobs).map(([name, values]) => `${name}=${values.join(', ')}`),
    label: Object.entries(labels).map(([key, value]) => `${key}=${value}`),
  };
};
