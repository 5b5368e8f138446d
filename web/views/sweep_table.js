// The cells of a sweep as a table, with the data of its chart.
import { h } from '../dom.js';
import { dollars, half, interval, number, percent } from '../format.js';
import { rankText } from '../comparison_words.js';
import { rankBar, table } from '../parts.js';
import { href } from '../state.js';
import { change, count, isMixed, isOneEach, ratio, share, throughput, tiedInWords, verdictInWords, whyNothing } from '../sweep_words.js';

// Cells of a sequence keep their order; others are sorted by rank.
const ORDERED = new Set(['ladder', 'threads', 'aa']);

const byRank = (cells) => [...cells].sort((one, other) => (one.rank?.low ?? Infinity) - (other.rank?.low ?? Infinity)
  || (one.rank?.high ?? Infinity) - (other.rank?.high ?? Infinity) || one.cell - other.cell);

const runLink = (run) => {
  const state = run.voided ? 'voided' : run.state === 'finished' ? (run.validity === 'invalid' ? 'not valid' : run.validity === 'warn' ? 'with warnings' : '') : run.state;
  const speed = run.samples_per_second === null ? '' : `, ${number(run.samples_per_second)} samples/s`;
  return h('li', {}, h('a', { href: href({ view: 'run', id: run.id }), 'aria-label': `Run of block ${run.block + 1}: ${state || 'valid'}${speed}` }, `${run.block + 1}`),
    state && h('span', { class: `run-state ${run.state} ${run.validity ?? ''}` }, ` ${state}`));
};

const tally = (cell) => {
  const bad = [cell.invalid_runs && `${cell.invalid_runs} not valid`, cell.failed_runs && `${cell.failed_runs} failed`, cell.voided_runs && `${cell.voided_runs} voided`].filter(Boolean);
  return [count(cell.valid_runs, 'valid run'), ...bad].join(', ');
};

const speedCell = (cell) => {
  const text = throughput(cell);
  if (text === null) return h('td', { class: 'reason' }, whyNothing(cell));
  return h('td', { class: 'number' }, text, cell.tokens_per_second && h('small', {}, `${interval(cell.tokens_per_second)} tokens/s`), h('small', {}, cell.interval ? `over ${cell.interval.over}` : 'no interval: too few runs'));
};

const compared = (value, shown, cell) =>
  value ? h('td', { class: 'number' }, shown(value), h('small', {}, verdictInWords(value.verdict))) : h('td', { class: 'reason' }, cell.samples_per_second === null ? '' : 'unknown: too few runs');

const alike = (cell, cells) => cells.filter((other) => other.spec.workload === cell.spec.workload);
const firstOf = (cell, cells) => alike(cell, cells)[0];
const first = (cell, cells, same) => (cell === firstOf(cell, cells) ? h('td', { class: 'number' }, same) : null);

const costCell = (cell) => {
  const cost = cell.dollars_per_million_samples;
  if (!cost) return h('td', {});
  return h('td', { class: 'number' }, dollars(cost.value), cost.low !== null && h('small', {}, `${dollars(cost.low)} to ${dollars(cost.high)}`));
};

const perDollarCell = (cell) => {
  const cost = cell.samples_per_dollar;
  return h('td', { class: 'number' }, cost && number(cost.value, half(cost)),
    cost && cost.low !== null && h('small', {}, `${number(cost.low, half(cost))} to ${number(cost.high, half(cost))}`));
};

// Of the time of a step: waiting for the batch, and computing.
const sharesCell = ({ time_shares: shares, samples_per_second: speed }) =>
  shares ? h('td', { class: 'number' }, percent(shares.compute), h('small', {}, `input ${percent(shares.input)}`))
    : h('td', { class: 'reason' }, speed === null ? '' : 'unknown: the engine does not say');

// The ranks that a cell may have, as words and as a bar along all ranks, and which cells they leave open.
const rankCell = (cell, cells) => {
  if (!cell.rank) return h('td', {});
  const ranked = alike(cell, cells).filter((other) => other.rank).length;
  const tied = tiedInWords(cell.cannot_be_told_apart_from);
  return h('td', {}, rankText(cell), rankBar(cell.rank, ranked), tied && h('small', {}, h('bdi', {}, tied)));
};

const COLUMNS = {
  rank: { title: 'Rank', cell: rankCell },
  name: { title: 'Cell', cell: (cell) => h('th', { scope: 'row' }, h('bdi', {}, cell.name)) },
  round: { title: 'Round', number: true, cell: (cell) => h('td', { class: 'number' }, `${cell.round + 1}`) },
  speed: { title: 'Samples/s', number: true, cell: speedCell },
  perDollar: { title: 'Samples a dollar', number: true, cell: perDollarCell },
  cost: { title: 'Dollars a million', number: true, cell: costCell },
  shares: { title: 'Time computing', number: true, cell: sharesCell },
  best: { title: 'Relative to the best', number: true, cell: (cell, cells, sweep) => (cell.cell === sweep.best?.cell ? h('td', { class: 'number' }, 'the best') : compared(cell.ratio_to_best, ratio, cell)) },
  first: { title: 'Relative to the first', number: true, cell: (cell, cells) => first(cell, cells, 'the first') ?? compared(cell.ratio_to_first, ratio, cell) },
  previous: { title: 'Gain over the previous', number: true, cell: (cell, cells) => first(cell, cells, 'the first') ?? compared(cell.ratio_to_previous, change, cell) },
  efficiency: { title: 'Efficiency', number: true, cell: (cell, cells) => first(cell, cells, 'the first') ?? h('td', { class: 'number' }, cell.efficiency ? interval(cell.efficiency) : cell.samples_per_second === null ? '' : 'unknown') },
  runs: { title: 'Runs, by block', cell: (cell) => h('td', { class: 'runs' }, h('ul', {}, cell.runs.map(runLink)), h('small', {}, tally(cell))) },
};

const namesOf = (sweep) => {
  const { preset } = sweep;
  if (preset === 'ladder') return ['name', 'speed', 'previous', 'first', 'rank', 'runs'];
  if (preset === 'threads') return ['name', 'speed', 'first', 'efficiency', 'rank', 'runs'];
  if (preset === 'aa') return ['name', 'speed', 'first', 'runs'];
  if (preset === 'tune') return ['rank', 'name', 'round', 'speed', 'best', 'runs'];
  if (isOneEach(sweep)) return ['name', 'speed', 'runs'];
  return isMixed(sweep) ? ['name', 'speed', 'best', 'rank', 'runs'] : ['rank', 'name', 'speed', 'best', 'first', 'runs'];
};

// Includes dollars if this machine has an hourly price, and where the time went if an engine says so.
const columnsOf = (sweep) => {
  const { price_per_hour: price, cells } = sweep;
  const more = [price !== null && 'perDollar', price !== null && 'cost', cells.some((cell) => cell.time_shares) && 'shares'];
  return namesOf(sweep).flatMap((name) => (name === 'speed' ? ['speed', ...more.filter(Boolean)] : [name]));
};

export const cellTable = (sweep) => {
  const cells = sweep.cells.filter((cell) => !cell.refused);
  const columns = columnsOf(sweep).map((name) => COLUMNS[name]);
  const sorted = ORDERED.has(sweep.preset) || isMixed(sweep) ? cells : byRank(cells);
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Cells' },
    h('table', { class: 'cells' },
      h('caption', {}, 'Cells. Medians of the valid runs with 95 % intervals', isOneEach(sweep) ? '.' : '; with 95 % the true ranks of all cells lie within those shown.', isMixed(sweep) && !isOneEach(sweep) && ' Only cells of one workload are compared.'),
      h('thead', {}, h('tr', {}, columns.map((column) => h('th', { scope: 'col', class: column.number && 'number' }, column.title)))),
      h('tbody', {}, sorted.map((cell) => h('tr', { class: cell.may_be_best && 'tied' }, columns.map((column) => column.cell(cell, cells, sweep)))))));
};

export const refusedList = (sweep) => {
  const refused = sweep.cells.filter((cell) => cell.refused);
  if (!refused.length) return null;
  return h('section', { class: 'refused' }, h('h2', {}, 'Not run on this machine'),
    h('ul', {}, refused.map((cell) => h('li', {}, h('strong', {}, h('bdi', {}, cell.name)), `: ${cell.refused}`))));
};

export const alarmsTable = (alarms) =>
  table('Equal runs called different', [
    { name: 'Pairs', number: true, cell: (row) => `${row.pairs}` },
    { name: 'Called different', number: true, cell: (row) => `${row.alarms}` },
    { name: 'Rate', number: true, cell: (row) => percent(row.rate) },
    { name: '95 % interval', number: true, cell: (row) => `${percent(row.low)} to ${percent(row.high)}` },
    { name: 'Margin', number: true, cell: (row) => share(row.margin) },
  ], [alarms]);

// Finished runs in the order in which they ran: { x, value, name }.
export const traceOf = (sweep) =>
  sweep.cells.flatMap((cell) => cell.runs.filter((run) => run.samples_per_second !== null && run.validity !== 'invalid')
    .map((run) => ({ x: run.position + 1, value: run.samples_per_second, name: cell.name, id: run.id })))
    .sort((one, other) => one.x - other.x);

export const traceTable = (points) => {
  let best = 0;
  return h('details', { class: 'trace-table' }, h('summary', {}, 'The search as a table'),
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The search, run by run' },
      h('table', {}, h('thead', {}, h('tr', {}, ['Run', 'Cell', 'Samples/s', 'Best so far'].map((name) => h('th', { scope: 'col' }, name)))),
        h('tbody', {}, points.map((point) => {
          best = Math.max(best, point.value);
          return h('tr', {}, h('td', { class: 'number' }, h('a', { href: href({ view: 'run', id: point.id }) }, `${point.x}`)),
            h('th', { scope: 'row' }, h('bdi', {}, point.name)), h('td', { class: 'number' }, number(point.value)), h('td', { class: 'number' }, number(best)));
        })))));
};
