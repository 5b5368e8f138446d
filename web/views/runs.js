// All runs, newest first, with the filters of the API. Updates itself while runs are under way.
import { get } from '../api.js';
import { announce, empty, h, loading, problem } from '../dom.js';
import { dollars, interval, moment, words } from '../format.js';
import { configuration, every, foreign, labels, runState, sendWhenChanged, table, tableRow, validity } from '../parts.js';
import { go, href, state } from '../state.js';
import { timeLeft } from './progress.js';

export const title = 'Runs';

const FILTERS = ['state', 'workload', 'engine', 'instance_type', 'precision', 'validity', 'provenance', 'since', 'until', 'label'];
const NAMES = { label: 'Label (key=value)', since: 'Created from (day, UTC)', until: 'Created before (day, UTC)' };
const CHOICES = { precision: ['f32', 'bf16', 'f16'], validity: ['ok', 'warn', 'invalid'], provenance: ['measured', 'imported'] };
const STATES = ['queued', 'running', 'finished', 'failed', 'cancelled', 'interrupted', 'preempted'];
const KEEP_UP = 2000;

const isMoving = (run) => run.state === 'queued' || run.state === 'running';

let view = null; // on screen: { list, form, known }

export const speed = (run) => {
  const { summary, progress } = run;
  if (summary) return interval({ value: summary.samples_per_second, low: summary.interval?.low ?? null, high: summary.interval?.high ?? null });
  if (progress?.samples_per_second) return `${interval({ value: progress.samples_per_second, low: null })} so far`;
  return isMoving(run) ? 'not yet' : 'unknown: it did not finish';
};

const verdict = (run) => {
  if (run.validity) return validity(run.validity.level);
  if (run.progress) return timeLeft(run.progress.seconds_left);
  if (isMoving(run)) return 'not yet';
  return run.reason ? foreign(run.reason) : 'not judged: it did not finish';
};

// What a run cost, and what a dollar of it trained.
const cost = ({ cost: paid }) => {
  if (!paid) return h('span', { class: 'unknown' }, 'unknown');
  const per = paid.samples_per_dollar;
  return [dollars(paid.dollars), per && h('small', {}, ` ${interval(per)} samples a dollar`)];
};

const columns = [
  { name: 'Begun', head: true, cell: (run) => h('a', { class: 'moment', href: href({ view: 'run', id: run.id }) }, moment(run.started_at ?? run.created_at)) },
  { name: 'State', cell: (run) => [runState(run), run.provenance === 'imported' && h('span', { class: 'note' }, ' imported'), run.void && h('span', { class: 'badge warn' }, 'voided')] },
  { name: 'Workload', cell: (run) => run.spec.workload },
  { name: 'Engine', cell: (run) => foreign(run.spec.engine) },
  { name: 'Configuration', cell: (run) => configuration(run.spec) },
  { name: 'Instance', cell: (run) => (run.instance_type ? foreign(run.instance_type) : 'unknown') },
  { name: 'Samples/s (95 %)', number: true, cell: speed },
  { name: 'Cost', number: true, cell: cost },
  { name: 'Validity', cell: verdict },
  { name: 'Labels', cell: (run) => labels(run.spec.labels) },
];

const wanted = (now) => Object.fromEntries([...FILTERS, 'cursor'].map((name) => [name, now[name]]));

const field = (name, now, control) =>
  h('div', { class: 'field' }, h('label', { for: `filter-${name}` }, NAMES[name] ?? words(name)), control);

const choice = (name, now, values) =>
  h('select', { id: `filter-${name}`, name, 'aria-describedby': 'filter-problem' },
    h('option', { value: '' }, 'any'),
    // A link may ask for what is not in this list.
    [...new Set([...values, now[name]].filter(Boolean))].map((each) => h('option', { value: each, selected: each === now[name] }, each)));

// A link may have a time of day, which a field for days does not show.
const day = (name, now) =>
  h('input', { id: `filter-${name}`, name, type: /T/.test(now[name] ?? '') ? 'text' : 'date', value: now[name] ?? '', 'aria-describedby': 'filter-problem' });

const text = (name, now) =>
  h('input', { id: `filter-${name}`, name, value: now[name] ?? '', autocomplete: 'off', list: `known-${name}`, spellcheck: 'false',
    'aria-describedby': 'filter-problem' });

// The label filters, each with a button that removes it.
const chosen = (now) => {
  const all = [now.label ?? []].flat();
  return all.length > 0 && h('ul', { class: 'labels chosen', 'aria-label': 'Labels filtered by' }, all.map((label) =>
    h('li', {}, foreign(label), ' ',
      h('a', { href: href({ label: all.filter((each) => each !== label), cursor: null }), 'aria-label': `Without ${label}` }, '✕'))));
};

const controls = (now) => {
  const submit = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const changes = Object.fromEntries(FILTERS.map((name) => [name, (given.get(name) ?? '').trim()]));
    changes.label = [now.label ?? [], changes.label].flat().filter(Boolean);
    go({ ...changes, cursor: null });
  };
  return h('form', { class: 'filters', role: 'search', 'aria-label': 'Which runs', onsubmit: submit,
    onchange: sendWhenChanged },
  field('state', now, choice('state', now, STATES)),
  ['workload', 'engine', 'instance_type'].map((name) => field(name, now, text(name, now))),
  Object.entries(CHOICES).map(([name, values]) => field(name, now, choice(name, now, values))),
  ['since', 'until'].map((name) => field(name, now, day(name, now))),
  field('label', now, h('input', { id: 'filter-label', name: 'label', autocomplete: 'off', spellcheck: 'false', 'aria-describedby': 'filter-problem' })),
  h('button', {}, 'Filter'),
  FILTERS.some((name) => now[name]) && h('a', { href: href({ view: 'runs' }) }, 'All runs'),
  h('p', { id: 'filter-problem', class: 'wrong', role: 'alert' }));
};

// Values seen so far, as choices.
const remember = (known, runs) => {
  for (const run of runs)
    for (const [name, value] of [['workload', run.spec.workload], ['engine', run.spec.engine], ['instance_type', run.instance_type]])
      if (value) known[name].add(value);
  return Object.entries(known).map(([name, values]) =>
    h('datalist', { id: `known-${name}` }, [...values].map((value) => h('option', { value }))));
};

const pages = (answer, now) =>
  h('p', { class: 'pages' },
    now.cursor && h('a', { href: href({ cursor: null }) }, 'The newest'),
    answer.next_cursor && h('a', { href: href({ cursor: answer.next_cursor }), rel: 'next' }, 'Older runs'));

const nothing = (now, { unmatched }) =>
  FILTERS.some((name) => now[name])
    ? [empty('No run matches the filters. ', h('a', { href: href({ view: 'runs' }) }, 'All runs')),
      unmatched.map(({ parameter, value, words: said }) =>
        h('p', {}, h('code', {}, `${parameter}=${value}`), ' matches nothing: ', h('bdi', {}, said), '.'))]
    : empty('No run exists yet. ', h('a', { href: href({ view: 'measure' }) }, 'Measure something'));

// Replaces only changed rows, so that the focus stays.
const keepUp = (shown, runs) => {
  const body = shown.list.querySelector('tbody');
  const before = new Map(shown.runs.map((run, i) => [run.id, { run, row: body.rows[i] }]));
  const rows = runs.map((run) => {
    const old = before.get(run.id);
    if (old && JSON.stringify(old.run) === JSON.stringify(run)) return old.row;
    if (old && isMoving(old.run) && !isMoving(run)) announce(`A run has ${run.state}.`);
    return tableRow(columns, run);
  });
  const held = document.activeElement?.closest('tr');
  const at = held && [...body.rows].indexOf(held);
  if (rows.length !== body.rows.length || rows.some((row, i) => row !== body.rows[i])) body.replaceChildren(...rows);
  if (held && !held.isConnected) body.rows[at]?.querySelector('a')?.focus();
};

const read = async (now) => {
  const shown = view;
  shown.asked?.abort();
  shown.asked = new AbortController();
  const answer = await get('/v1/runs', { ...wanted(now), limit: 50 }, { signal: shown.asked.signal });
  shown.known.replaceChildren(...remember(shown.seen, answer.runs));
  return answer;
};

const fillList = async (now) => {
  const shown = view;
  try {
    const answer = await read(now);
    shown.runs = answer.runs;
    shown.list.replaceChildren(...(answer.runs.length ? [table('Runs, newest first', columns, answer.runs)] : [nothing(now, answer)].flat(2)), pages(answer, now));
  } catch (error) {
    if (error.name === 'AbortError') return;
    const place = FILTERS.includes(error.field) && shown.form.querySelector('#filter-problem');
    shown.runs = [];
    if (place) place.textContent = `${error.field}: ${error.message}`;
    shown.list.replaceChildren(place ? empty('Nothing to show.') : problem(error, () => fillList(now)));
  }
};

const refresh = async () => {
  const shown = view;
  if (!shown?.runs.some(isMoving)) return;
  try {
    const answer = await read(state());
    if (view !== shown) return;
    keepUp(shown, answer.runs);
    shown.runs = answer.runs;
    shown.list.querySelector('.late')?.remove();
  } catch (error) {
    if (error.name === 'AbortError' || shown.list.querySelector('.late')) return;
    shown.list.prepend(h('p', { class: 'late stale', role: 'status' }, `Not up to date: ${error.message} Retrying every two seconds.`));
  }
};

export const show = async (root, now) => {
  view = { list: h('div', {}), known: h('div', {}), form: h('div', {}), runs: [],
    seen: { workload: new Set(), engine: new Set(), instance_type: new Set() } };
  root.append(view.form, view.known, view.list);
  view.form.replaceChildren(controls(now), chosen(now) || '');
  const mine = view;
  await fillList(now);
  const stop = every(KEEP_UP, refresh);
  return () => {
    stop();
    mine.asked?.abort();
    if (view === mine) view = null;
  };
};

// Shows another filter or page; rebuilds the form and restores the focus.
export const change = (now) => {
  if (!view) return;
  const focus = document.activeElement?.id;
  view.form.replaceChildren(controls(now), chosen(now) || '');
  if (focus) document.getElementById(focus)?.focus();
  if (!view.list.querySelector('table')) view.list.replaceChildren(loading('runs'));
  fillList(now);
};
