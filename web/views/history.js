// A workload over time: a line for each machine and configuration, marks where its level changed and
// where the engine's version did, and invalid runs as hollow points. Voided runs are left out.
import { get } from '../api.js';
import { historyCharts } from '../charts/history.js';
import { empty, h, loading, problem } from '../dom.js';
import { interval, moment, percentChange, words } from '../format.js';
import { configuration, foreign, sendWhenChanged, table, validity, whole } from '../parts.js';
import { twin } from '../charts/plot.js';
import { go, href } from '../state.js';

export const title = 'History';

const PAGE = 200;
const MOST = 2000; // runs; a button loads older ones
const PRICED = 50; // lists lack costs: fetch so many of the newest runs one by one
const AT_ONCE = 6;
const MOST_LISTED = 300;
const FILTERS = ['workload', 'engine', 'instance_type', 'label'];

let view = null; // { body, form, gone }

const amountOf = ({ summary }) => ({ value: summary.samples_per_second, low: summary.interval?.low ?? null, high: summary.interval?.high ?? null });

const pointOf = (run) => ({
  run, time: new Date(run.ended_at ?? run.created_at), throughput: amountOf(run), dollars: undefined, why: 'the costs of only the newest runs are loaded',
  isValid: run.validity?.level !== 'invalid',
});

// Key of a line: machine type, processor and configuration.
const keyOf = ({ run }) =>
  JSON.stringify([run.instance_type ?? run.machine, run.spec.engine, configuration(run.spec), strata.get(run.machine) ?? run.machine]);

const strata = new Map(); // fingerprint -> stratum

const nameOf = ({ run }) =>
  [run.instance_type ?? `machine ${run.machine?.slice(0, 6) ?? 'unknown'}`, run.spec.engine, configuration(run.spec)].join(', ');

const learnStrata = async (signal) => {
  const { machines } = await get('/v1/machines', {}, { signal });
  for (const machine of machines) strata.set(machine.fingerprint, machine.stratum);
};

// The lines, those with the most runs first, each in order of time and with the properties that
// distinguish it from others of its name.
const linesOf = (points, changes) => {
  const all = new Map();
  for (const point of points) {
    const key = keyOf(point);
    if (!all.has(key)) all.set(key, { key, name: nameOf(point), points: [] });
    all.get(key).points.push(point);
  }
  const lines = [...all.values()].sort((one, other) => other.points.length - one.points.length);
  const names = new Map();
  for (const line of lines) {
    line.points.sort((one, other) => one.time - other.time);
    line.points.forEach((point, i) => {
      const before = line.points[i - 1];
      point.changed = before && before.run.software !== point.run.software ? { from: before.run.software, to: point.run.software } : null;
      point.line = line;
    });
    line.changes = line.points.flatMap((point) => changes.get(point.run.id) ?? []);
    for (const change of line.changes) change.line = line;
    const seen = (names.get(line.name) ?? 0) + 1;
    names.set(line.name, seen);
    if (seen > 1) line.name += ` (${seen})`;
  }
  return lines;
};

const readRuns = async (now, signal) => {
  const runs = [];
  let cursor = null;
  do {
    const page = await get('/v1/runs', { ...Object.fromEntries(FILTERS.map((name) => [name, now[name]])), state: 'finished', limit: PAGE, cursor }, { signal });
    runs.push(...page.runs.filter((run) => !run.void));
    cursor = page.next_cursor;
  } while (cursor && runs.length < MOST);
  return { runs, more: cursor !== null };
};

// The changes of level that the server finds, by the run with which each begins.
const readChanges = async (now, signal) => {
  const { lines } = await get('/v1/history', Object.fromEntries(FILTERS.map((name) => [name, now[name]])), { signal });
  const changes = new Map();
  for (const change of lines.flatMap((line) => line.changes)) changes.set(change.run, [...(changes.get(change.run) ?? []), change]);
  return changes;
};

// Loads the costs of the newest runs in batches; calls changed() after each batch.
const readCosts = async (points, signal, changed) => {
  const newest = [...points].sort((one, other) => other.time - one.time).slice(0, PRICED);
  for (let i = 0; i < newest.length; i += AT_ONCE) {
    await Promise.all(newest.slice(i, i + AT_ONCE).map(async (point) => {
      try {
        const { cost } = await get(`/v1/runs/${point.run.id}`, {}, { signal });
        point.dollars = cost?.samples_per_dollar ?? null;
        point.hourly = cost?.price?.price_per_hour ?? null;
        point.why = cost?.why_no_price ?? cost?.why_not_ranked ?? 'no price was known when it ran';
      } catch (error) {
        if (error.name === 'AbortError') throw error;
        point.why = error.message;
      }
    }));
    changed();
  }
};

const costWords = (point) => (point.dollars ? interval(point.dollars) : h('span', { class: 'unknown' }, `unknown: ${point.why}`));

const columns = [
  { name: 'Ended', head: true, cell: ({ run }) => h('a', { class: 'moment', href: href({ view: 'run', id: run.id }) }, moment(run.ended_at)) },
  { name: 'Line', cell: ({ line }) => foreign(line.name) },
  { name: 'Samples/s (95 %)', number: true, cell: ({ throughput }) => interval(throughput) },
  { name: 'Samples per dollar (95 %)', number: true, cell: costWords },
  { name: 'Validity', cell: ({ run }) => validity(run.validity?.level) },
  { name: 'Engine version', cell: ({ run, changed }) => [run.software ? foreign(run.software) : 'unknown', changed && h('span', { class: 'note' }, ' changed')] },
];

const tableOf = (points) => {
  const newest = [...points].sort((one, other) => other.time - one.time).slice(0, MOST_LISTED);
  return table(newest.length < points.length ? `The newest ${whole(newest.length)} of ${whole(points.length)} runs` : 'Runs, newest first', columns, newest);
};

const causeWords = ({ causes }) => causes.map(({ what, from, to }) =>
  h('div', {}, `${what}: `, foreign(from ?? 'unknown'), ' → ', foreign(to ?? 'unknown'), what === 'price' && ' dollars an hour'));

const changeColumns = [
  { name: 'From', head: true, cell: ({ at, run }) => h('a', { class: 'moment', href: href({ view: 'run', id: run }) }, moment(at)) },
  { name: 'Line', cell: ({ line }) => foreign(line.name) },
  { name: 'What', cell: ({ measure }) => words(measure) },
  { name: 'Change (95 %)', number: true, cell: ({ ratio }) => [percentChange(ratio.value), ratio.low !== null && ` (${percentChange(ratio.low)} to ${percentChange(ratio.high)})`] },
  { name: 'Attributed to', cell: (change) => [words(change.attributed_to), causeWords(change)] },
];

const changesOf = (lines) => lines.flatMap((line) => line.changes).sort((one, other) => Date.parse(other.at) - Date.parse(one.at));

const changeTable = (lines) => {
  const all = changesOf(lines);
  return all.length ? h('div', { class: 'level-changes' }, table('Changes of level, newest first', changeColumns, all))
    : h('p', { class: 'note' }, 'No line changed its level.');
};

const field = (name, now) =>
  h('div', { class: 'field' }, h('label', { for: `history-${name}` }, name === 'label' ? 'Label (key=value)' : words(name)),
    h('input', { id: `history-${name}`, name, value: [now[name] ?? ''].flat().join(' '), autocomplete: 'off', spellcheck: 'false' }));

const controls = (now) =>
  h('form', { class: 'filters', 'aria-label': 'Which history', onchange: sendWhenChanged,
    onsubmit: (event) => {
      event.preventDefault();
      const given = new FormData(event.target);
      go(Object.fromEntries(FILTERS.map((name) => [name, (given.get(name) ?? '').trim()])));
    } }, FILTERS.map((name) => field(name, now)), h('button', {}, 'Show'));

const workloads = (runs) => [...new Set(runs.map((run) => run.spec.workload))];

// Without a workload, offers those that have runs.
const choose = async (signal) => {
  const { runs } = await get('/v1/runs', { state: 'finished', limit: PAGE }, { signal });
  const all = workloads(runs);
  if (!all.length) return { none: empty('No run has finished yet. ', h('a', { href: href({ view: 'measure' }) }, 'Measure something')) };
  return { workload: all[0], all };
};

const others = (all, now) =>
  all?.length > 1 && h('p', { class: 'pages' }, all.map((workload) =>
    h('a', { href: href({ view: 'history', workload }), 'aria-current': workload === now.workload && 'true' }, workload)));

const nothing = (now) => empty(`No run of ${now.workload} has finished${FILTERS.slice(1).some((name) => now[name]) ? ' that matches the filters' : ''}. `,
  h('a', { href: href({ view: 'history' }) }, 'Another workload'));

const fill = async (now) => {
  const { body, gone } = view;
  const { signal } = gone;
  await learnStrata(signal).catch((error) => {
    if (error.name === 'AbortError') throw error; // without strata each machine gets its own line
  });
  const { runs, more } = await readRuns(now, signal);
  if (!runs.length) return body.replaceChildren(nothing(now));
  const points = runs.map(pointOf);
  let failed = null;
  const changes = await readChanges(now, signal).catch((error) => {
    if (error.name === 'AbortError') throw error;
    failed = error;
    return new Map();
  });
  const lines = linesOf(points, changes);
  const charts = historyCharts(lines, now.workload);
  const holder = h('div', {});
  const tables = () => {
    const open = holder.firstChild?.open;
    const made = twin(tableOf(points));
    made.open = Boolean(open);
    holder.replaceChildren(made);
  };
  tables();
  body.replaceChildren(
    h('p', {}, `${whole(runs.length)} ${more ? 'newest ' : ''}runs of `, h('strong', {}, now.workload), '. Whiskers are 95 % intervals of one run each; a hollow mark did not count. A solid vertical line is a change of level, with what it is attributed to.'),
    charts.element, failed ? problem(failed) : changeTable(lines), holder);
  readCosts(points, signal, () => {
    charts.update();
    tables();
  }).catch((error) => error.name !== 'AbortError' && body.append(problem(error)));
  return undefined;
};

const attempt = async (now) => {
  view.gone?.abort();
  view.gone = new AbortController();
  const { body, form, gone } = view;
  try {
    const chosen = now.workload ? {} : await choose(gone.signal);
    const asked = { ...now, workload: now.workload ?? chosen.workload };
    form.replaceChildren(controls(asked), others(chosen.all, asked) || '');
    if (chosen.none) body.replaceChildren(chosen.none);
    else await fill(asked);
  } catch (error) {
    if (error.name !== 'AbortError') body.replaceChildren(problem(error, () => attempt(now)));
  }
};

export const show = async (root, now) => {
  view = { body: h('div', {}), form: h('div', {}), gone: null };
  const mine = view;
  root.append(mine.form, mine.body);
  await attempt(now);
  return () => {
    mine.gone?.abort();
    if (view === mine) view = null;
  };
};

export const change = (now) => {
  if (!view) return;
  const focus = document.activeElement?.id;
  view.body.replaceChildren(loading('history'));
  attempt(now).then(() => focus && document.getElementById(focus)?.focus());
};
