// One run: its progress, then its result.
import { get, post, remove } from '../api.js';
import { traceCharts } from '../charts/trace.js';
import { empty, h, loading, problem } from '../dom.js';
import { every, facts, foreign, runState, validity } from '../parts.js';
import { progressBox } from './progress.js';
import { checkPart } from './run_check.js';
import { again, amounts, downloads, engineFacts, failure, findings, implementations, machineFacts, recompute, section, specFacts, split,
  times, warmUpFacts } from './run_parts.js';
import { roofline } from './run_roofline.js';
import { isFinal } from '../live.js';
import { typePrice } from '../price_form.js';
import { href } from '../state.js';
import { takeBackButton, takenBack } from '../take_back.js';
import { traceOf } from '../trace.js';

export const title = 'Run';

const KEEP_UP = 2000;

let view = null; // { id, root, gone, signal, trace, check, end }
let last = null; // the root on screen

// A part with its own request, independent of the other parts.
const later = (what, ask) => {
  const holder = h('div', {}, loading(what));
  const attempt = () => ask().then((content) => holder.replaceChildren(content),
    (error) => error.name !== 'AbortError' && holder.replaceChildren(problem(error, attempt)));
  attempt();
  return holder;
};

const subtitle = (run) =>
  h('p', { class: 'subtitle' }, h('strong', {}, run.spec.workload), ', trained by ', foreign(run.spec.engine),
    ' on ', run.instance_type ? foreign(run.instance_type) : 'a machine of unknown type', ' ',
    run.state !== 'finished' && runState(run),
    run.validity && validity(run.validity.level),
    run.provenance === 'imported' && h('span', { class: 'badge' }, 'imported: measured by another pennyworth'),
    run.sender && h('span', { class: 'note' }, ' sent by ', foreign(run.sender)),
    run.signed_by && h('span', { class: 'note', title: run.signed_by }, ' signed by ', run.signed_by.slice(0, 16), '…'));

const voidOf = (run) => `/v1/runs/${run.id}/void`;

// Draws the run anew and returns the focus to the button that is there then.
const redraw = (fill) => async () => {
  await fill();
  view?.root.querySelector('button.take-back')?.focus();
};

const voidButton = (run, fill) =>
  takeBackButton({ name: 'Void this run', title: 'Void this run?', verb: 'Void it', said: 'The run is voided.',
    words: 'It is kept with its steps, and counts nowhere: not in comparisons, history, sweeps or gates. It can be counted again.',
    act: (reason) => post(voidOf(run), { reason }), then: redraw(fill) });

const liftButton = (run, fill) =>
  takeBackButton({ name: 'Count it again', title: 'Count this run again?', verb: 'Count it', said: 'The run counts again.',
    words: 'It counts as if it had never been voided. The void stays in its record.',
    act: (reason) => remove(voidOf(run), { reason }), then: redraw(fill) });

const voided = (run, fill) =>
  run.void && h('div', { class: 'problem voided' }, h('p', {}, h('strong', {}, 'Voided'), ', it counts nowhere: ', takenBack(run.void), '.'), liftButton(run, fill));

const actions = (run, fill) =>
  h('p', { class: 'run-actions' }, h('a', { href: again(run) }, 'Measure again'),
    h('a', { href: href({ view: 'history', workload: run.spec.workload }) }, `History of ${run.spec.workload}`),
    h('a', { href: href({ view: 'runs' }) }, 'All runs'),
    isFinal(run.state) && !run.void && voidButton(run, fill));

const tracePart = (run, trace) => {
  if (!run.steps_stored && isFinal(run.state)) return empty('No step was stored.');
  const { signal } = view;
  return later('the steps', async () => {
    const evidence = await get(`/v1/runs/${run.id}/evidence`, {}, { signal });
    const charts = traceCharts(trace, run, evidence.canaries);
    const noted = h('p', { class: 'note' });
    let drawn = 0;
    const read = trace.more(() => {
      noted.textContent = `${trace.length} of ${run.thinned_at ? 'the' : run.steps_stored} steps are read …`;
      if (drawn++ === 0) charts.update();
    });
    read.then(() => {
      noted.remove();
      if (trace.length) charts.update();
      else charts.element.replaceWith(empty('No step was stored.'));
    }, (error) => error.name !== 'AbortError' && noted.replaceChildren(problem(error)));
    const thinned = run.thinned_at && h('p', { class: 'note' }, `Most steps were dropped on ${run.thinned_at.slice(0, 10)}: the chart shows a sample of ${run.steps_stored}. The numbers of this run are from all of them.`);
    return h('div', {}, thinned, noted, charts.element);
  });
};

const unpriced = ({ cost, provenance }) => provenance === 'measured' && !cost?.price;

const ended = (run, now, fill) => {
  const { signal, trace } = view;
  view.check = run.state === 'finished' && !run.void ? checkPart(run.id) : null; // a voided run is compared with nothing
  view.check?.ask(now);
  const invalid = run.validity?.level === 'invalid';
  const judged = section(invalid ? 'Why it is invalid' : 'Validity', findings(run));
  return [
    run.state !== 'finished' && failure(run),
    invalid && judged,
    run.summary && amounts(run),
    run.summary && unpriced(run) && typePrice(fill),
    run.summary && !invalid && judged,
    section('Steps', tracePart(run, trace), run.summary && facts(warmUpFacts(run))),
    run.summary && section('Where the time goes', split(run)),
    run.summary && section('How near the roof', roofline(run)),
    view.check && section('As fast as before?', view.check.element),
    section('Configuration', specFacts(run.spec)),
    section('Engine', engineFacts(run)),
    run.state === 'finished' && section('Implementations', later('the implementations', () => implementations(run, signal))),
    section('Machine', later('the machine', () => machineFacts(run, signal))),
    section('When', times(run)),
    section('Raw', downloads(run), run.state === 'finished' && recompute(run)),
  ].filter(Boolean);
};

// Shows progress and the growing trace.
const going = (run, fill) => {
  const { trace, signal } = view;
  const box = progressBox(run.id, { onEnd: fill });
  const charts = traceCharts(trace, { ...run, summary: null }, []);
  const steps = section('Steps so far', charts.element);
  steps.hidden = true;
  let asks = false;
  const stop = every(KEEP_UP, async () => {
    if (asks) return;
    asks = true;
    await trace.more().catch(() => {}); // the progress box reports a lost server
    asks = false;
    if (signal.aborted || !trace.length) return;
    steps.hidden = false;
    charts.update();
  });
  view.end = () => {
    box.stop();
    stop();
  };
  return [box.element, steps, section('Configuration', specFacts(run.spec))];
};

const fillFrom = (root, now) => {
  const fill = async () => {
    const mine = view;
    const run = await get(`/v1/runs/${mine.id}`, {}, { signal: mine.signal });
    if (view !== mine) return;
    mine.end?.();
    mine.end = null;
    const rest = isFinal(run.state) ? ended(run, now, fill) : going(run, () => fill().catch((error) => root.prepend(problem(error, fill))));
    document.title = `${run.spec.workload} on ${run.instance_type ?? 'an unknown machine'} - pennyworth`;
    root.replaceChildren(...[subtitle(run), voided(run, fill), actions(run, fill), ...rest].filter(Boolean));
  };
  return fill();
};

const close = () => {
  view?.end?.();
  view?.gone.abort();
  view = null;
};

const open = async (root, now) => {
  close();
  if (!now.id) return root.replaceChildren(empty('Which run? ', h('a', { href: href({ view: 'runs' }) }, 'Here are all.')));
  const gone = new AbortController();
  view = { id: now.id, root, gone, signal: gone.signal, trace: traceOf(now.id, gone.signal), check: null, end: null };
  return fillFrom(root, now);
};

export const show = async (root, now) => {
  last = root;
  await open(root, now);
  return () => last === root && close(); // unless it is shown again already
};

// Shows another run, or another check of this one.
export const change = (now) => {
  if (view && view.id === now.id) return void view.check?.ask(now);
  last.replaceChildren(loading('run'));
  open(last, now).catch((error) => error.name !== 'AbortError' && last.replaceChildren(problem(error, () => change(now))));
};
