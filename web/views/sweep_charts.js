// Chooses the charts of a sweep.
import { lineChart, rowChart } from '../charts/sweep.js';
import { number } from '../format.js';
import { alarmsTable, traceOf, traceTable } from './sweep_table.js';
import { answerOf, change, count, isMixed, isOneEach, share, shortChange, throughput } from '../sweep_words.js';

const WHISKERS = 'Whiskers: 95 % interval. The table below has the same numbers.';

const measured = (sweep) => sweep.cells.filter((cell) => cell.samples_per_second !== null);

const ladder = (sweep) => {
  const rungs = measured(sweep);
  const rows = rungs.map((cell, index) => ({
    name: cell.name, isBest: cell.cell === sweep.best?.cell,
    ...(index && cell.ratio_to_first ? cell.ratio_to_first : { value: 1, low: null, high: null }),
    note: index ? change(cell.ratio_to_previous) ?? '' : 'the first', short: index ? shortChange(cell.ratio_to_previous) ?? '' : null,
  })).filter((row, index) => index === 0 || row.low !== null);
  return rowChart({
    rows, steps: true, reference: 1, label: 'Throughput, times the first rung', format: (value) => `×${value}`,
    title: 'Gain of each rung', caption: `Right: the gain over the previous rung. ${WHISKERS}`,
    description: rows.map((row) => `${row.name}: ${row.note}`).join('; '),
  });
};

const threads = (sweep) => {
  const points = measured(sweep).map((cell) => ({
    x: cell.spec.threads, value: cell.samples_per_second, low: cell.interval?.low, high: cell.interval?.high, name: cell.name,
  })).sort((one, other) => one.x - other.x);
  const [one] = points;
  return lineChart({
    points, ideal: one.x > 0 ? (x) => (one.value / one.x) * x : null, labelX: 'Threads', labelY: 'Samples/s',
    title: 'How it scales', caption: `Dashed line: each additional thread as fast as the first. ${WHISKERS}`,
    description: `${count(points.length, 'number')} of threads, from ${one.x} to ${points[points.length - 1].x}. ${answerOf(sweep)}`,
  });
};

const tune = (sweep) => {
  const points = traceOf(sweep);
  const chart = lineChart({
    points, best: true, labelX: 'Run of the search', labelY: 'Samples/s',
    title: 'The search', caption: 'Dots: runs in their order. Line: the best so far.',
    description: `${count(points.length, 'run')}. ${answerOf(sweep)}`,
  });
  return [chart, still(traceTable(points))];
};

const alarms = (sweep) => {
  const { rate, low, high, margin } = sweep.false_alarms;
  return rowChart({
    rows: [{ name: 'False alarms', value: rate * 100, low: low * 100, high: high * 100 }], zero: true, label: 'Percent of pairs',
    title: 'Equal runs called different', caption: `At a margin of ${share(margin)}. Whiskers: 95 % interval of the rate.`,
    description: answerOf(sweep),
  });
};

const still = (element) => ({ element, stop: () => {} });

// One cell of each workload.
const oneEach = (sweep) => {
  const rows = measured(sweep).map((cell) => ({
    name: cell.spec.workload, value: cell.samples_per_second, low: cell.interval?.low, high: cell.interval?.high,
    note: throughput(cell), short: number(cell.samples_per_second),
  }));
  return rowChart({ rows, log: true, label: 'Samples/s', title: 'Throughput of each workload', caption: `The scale is logarithmic. ${WHISKERS}`,
    description: rows.map((row) => `${row.name}: ${row.note} samples/s`).join('; ') });
};

// Each workload has a chart and a scale of its own.
const mixed = (sweep) => [...new Set(measured(sweep).map((cell) => cell.spec.workload))].map((workload) => {
  const rows = measured(sweep).filter((cell) => cell.spec.workload === workload).map((cell) => ({
    name: cell.name, value: cell.samples_per_second, low: cell.interval?.low, high: cell.interval?.high, isBest: cell.may_be_best, note: '',
  }));
  return rowChart({ rows, label: 'Samples/s', title: `Throughput of ${workload}`, caption: WHISKERS,
    description: rows.map((row) => `${row.name}: ${row.value} samples/s`).join('; ') });
});

const speeds = (sweep) => {
  const twins = sweep.preset === 'aa'; // neither is the better one
  const rows = measured(sweep).map((cell) => ({
    name: cell.name, value: cell.samples_per_second, low: cell.interval?.low, high: cell.interval?.high,
    isBest: !twins && cell.cell === sweep.best?.cell,
    note: twins ? '' : cell.cell === sweep.best?.cell ? 'the best' : cell.may_be_best ? 'may be the best' : '',
  }));
  return rowChart({ rows, label: 'Samples/s', title: 'Throughput of each cell', caption: WHISKERS, description: answerOf(sweep) });
};

// [{ element, stop }], empty while there is nothing to draw.
export const sweepCharts = (sweep) => {
  if (sweep.preset === 'aa') return [...(sweep.false_alarms ? [alarms(sweep), still(alarmsTable(sweep.false_alarms))] : []), ...(measured(sweep).length ? [speeds(sweep)] : [])];
  if (!measured(sweep).length) return [];
  if (isOneEach(sweep)) return [oneEach(sweep)];
  if (isMixed(sweep)) return mixed(sweep);
  const kinds = { ladder, threads, tune };
  if (sweep.preset === 'tune' && !traceOf(sweep).length) return [];
  return [(kinds[sweep.preset] ?? speeds)(sweep), ...(sweep.preset === 'tune' ? [speeds(sweep)] : [])].flat();
};
