// One sweep, live while it runs; without an id, the list of sweeps.
import { get, open, remove } from '../api.js';
import { announce, empty, h } from '../dom.js';
import { hours, moment, words } from '../format.js';
import { followEvents } from '../live.js';
import { roughly } from './progress.js';
import { href } from '../state.js';
import { sweepCharts } from './sweep_charts.js';
import { cellTable, refusedList } from './sweep_table.js';
import { showList } from './sweep_list.js';
import { againOf, answerOf, count, isOneEach, presetInWords, share, stateInWords } from '../sweep_words.js';

export const title = 'Sweeps';

// A plain link cannot request CSV, nor send a token.
const download = async (id, trouble) => {
  try {
    const answer = await open('GET', `/v1/sweeps/${id}`, { headers: { Accept: 'text/csv' } });
    const target = URL.createObjectURL(await answer.blob());
    h('a', { href: target, download: `sweep-${id}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(target), 10000);
  } catch (error) {
    trouble.textContent = error.message;
  }
};

const liveBox = (id, refresh) => {
  const state = h('strong', { class: 'state' });
  const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Runs done' });
  const line = h('p', {});
  const trouble = h('p', { class: 'trouble', role: 'alert' });
  const cancel = h('button', { type: 'button', class: 'cancel', onclick: async () => {
    cancel.disabled = true;
    try {
      await remove(`/v1/sweeps/${id}`);
    } catch (error) {
      if (error.status !== 409) trouble.textContent = error.message;
      cancel.disabled = false;
    }
    refresh();
  } }, 'Cancel the remaining runs');
  const element = h('section', { class: 'live', 'aria-label': 'Progress of the sweep' }, h('p', { class: 'head' }, state, cancel), bar, line, trouble);
  const set = ({ state: now, progress, cells }) => {
    const current = cells.flatMap((cell) => cell.runs.map((run) => ({ ...run, name: cell.name }))).find((run) => run.state === 'running');
    state.textContent = stateInWords(now);
    element.dataset.state = now;
    bar.hidden = cancel.hidden = now !== 'running';
    bar.value = progress.runs_total ? progress.runs_done / progress.runs_total : 0;
    const left = now === 'running' ? `, ${progress.seconds_left === null ? 'time left unknown until a run is done' : `about ${roughly(progress.seconds_left)} left`}` : '';
    line.replaceChildren(`${progress.runs_done} of ${count(progress.runs_total, 'run')} done in ${hours(progress.elapsed_seconds / 3600)}${left}. `,
      current ? h('a', { href: href({ view: 'run', id: current.id }) }, `Now: ${current.name}`) : '');
  };
  const stale = (text) => {
    trouble.textContent = text;
    element.classList.toggle('out-of-date', Boolean(text));
  };
  return { element, set, stale, trouble };
};

const head = (sweep, trouble) => {
  const again = againOf(sweep);
  const base = Object.entries(sweep.request?.base ?? {}).filter(([name]) => name !== 'labels');
  return h('div', { class: 'sweep-head' },
    h('p', { class: 'lead' }, presetInWords(sweep.preset), h('small', {}, `Queued ${moment(sweep.created_at)}`, sweep.ended_at && `, ended ${moment(sweep.ended_at)}`)),
    base.length > 0 && h('p', { class: 'base' }, 'All cells have: ', base.map(([name, value]) => `${words(name)} ${value}`).join(', '), '.'),
    h('p', { class: 'buttons' },
      h('button', { type: 'button', onclick: () => download(sweep.id, trouble) }, 'Save as CSV'),
      again && h('a', { href: href(again) }, 'Sweep again'),
      h('a', { href: href({ view: 'sweep' }) }, 'All sweeps')));
};

const details = (sweep) =>
  [h('p', { class: 'answer' }, answerOf(sweep)),
    h('p', { class: 'hint' }, !isOneEach(sweep) && `A difference below ${share(sweep.margin)} counts as none. `, sweep.notes.join(' '))];

// Replaces the content and keeps the focus.
const replace = (place, content) => {
  const focused = document.activeElement;
  const at = place.contains(focused) ? focused.getAttribute('href') : null;
  const scrolled = place.querySelector('.scroll')?.scrollLeft ?? 0;
  place.replaceChildren(...content.flat().filter(Boolean));
  if (at) [...place.querySelectorAll('a')].find((link) => link.getAttribute('href') === at)?.focus();
  const scroll = place.querySelector('.scroll');
  if (scroll) scroll.scrollLeft = scrolled;
};

const showOne = async (root, id) => {
  const ended = new AbortController();
  let asking = false;
  let again = false; // there was news while asking
  let before = '';
  let charts = [];
  const box = liveBox(id, () => refresh());
  const answer = h('div', {});

  const draw = (sweep) => {
    box.set(sweep);
    const now = JSON.stringify([sweep.cells, sweep.best, sweep.state]);
    if (now === before) return;
    before = now;
    charts.forEach((chart) => chart.stop());
    charts = sweepCharts(sweep);
    replace(answer, [details(sweep), charts.map((chart) => chart.element), cellTable(sweep), refusedList(sweep)]);
  };
  const stale = (error, seconds) =>
    box.stale(!error ? '' : seconds === null ? error.message
      : `${error.message} The values shown are the last received; trying again.`);
  const refresh = async () => {
    again = asking;
    if (asking) return;
    asking = true;
    const was = box.element.dataset.state;
    try {
      const sweep = await get(`/v1/sweeps/${id}`, {}, { signal: ended.signal });
      stale(null);
      draw(sweep);
      if (sweep.state !== 'running' && was === 'running') announce(`The sweep: ${stateInWords(sweep.state)}. ${answerOf(sweep)}`);
    } catch (error) {
      if (error.name === 'AbortError') return;
      stale(error, error.status === 401 || error.status === 403 ? null : 0);
      again = false; // the stream of events finds the server again
    } finally {
      asking = false;
    }
    if (again) refresh();
  };
  // Events say that there is news; the sweep itself has the answer so far.
  const follow = () => followEvents(`/v1/sweeps/${id}/events`, { onTrouble: stale, onEvent: (event, data) => {
    refresh();
    return event === 'state' && data.state !== 'running';
  } });
  const sweep = await get(`/v1/sweeps/${id}`);
  root.append(head(sweep, box.trouble), box.element, answer);
  draw(sweep);
  const stop = sweep.state === 'running' ? follow() : () => {};
  return () => {
    ended.abort();
    stop();
    charts.forEach((chart) => chart.stop());
  };
};

export const show = async (root, { id }) => {
  if (!id) return showList(root);
  try {
    return await showOne(root, id);
  } catch (error) {
    if (error.status !== 404) throw error;
    root.append(empty('There is no such sweep. ', h('a', { href: href({ view: 'sweep' }) }, 'All sweeps')));
    return null;
  }
};
