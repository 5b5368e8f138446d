// A card on the comparison while it has no number of this machine: the machine's facts, one button that measures it,
// and the run that the button starts. The server knows that run, so a reload finds it again.
import { get } from '../api.js';
import { h, problem } from '../dom.js';
import { interval, words } from '../format.js';
import { isFinal } from '../live.js';
import { machineLoad } from '../machine_load.js';
import { facts } from '../parts.js';
import { postOnce } from '../pending.js';
import { typePrice } from '../price_form.js';
import { href } from '../state.js';
import { measuredHere } from '../comparison_words.js';
import { FILTERS } from './comparison_load.js';
import { progressBox } from './progress.js';
import { amounts, failure, findings, hardwareFacts, placeFacts, priceFacts } from './run_parts.js';

const MOST_SECONDS = 60; // so that a number stands within two minutes

// Members common to a question and a run.
const SHARED = ['workload', 'engine', 'precision', 'batch_size'];
const isOne = (value) => value === undefined || (typeof value === 'string' && !value.includes(','));

// Whether a run that is measured here would be in the answer.
const fits = (asked) => SHARED.every((name) => isOne(asked[name])) && FILTERS.every((name) => SHARED.includes(name) || !(name in asked));

// Only what the question names; the rest is the service's default.
const bodyOf = (asked) => ({ max_seconds: MOST_SECONDS,
  ...Object.fromEntries(SHARED.filter((name) => asked[name]).map((name) => [name, name === 'batch_size' ? Number(asked[name]) : asked[name]])) });

// The run that is under way, or else the newest one; null where there is none.
const currentRun = async ({ asked, workload }, signal) => {
  const { engine, precision, batch_size: batch } = asked;
  const { runs } = await get('/v1/runs', { provenance: 'measured', workload, engine, precision, limit: 20 }, { signal });
  const own = runs.filter((run) => !run.void && (!batch || run.spec.batch_size === Number(batch)));
  return own.find((run) => !isFinal(run.state)) ?? own[0] ?? null;
};

const readMachine = async (signal) => {
  const here = await get('/v1/machine', {}, { signal });
  return { ...here, ...(await get(`/v1/machines/${here.machine}`, {}, { signal })) };
};

const machineFacts = (here) =>
  facts([...hardwareFacts(here.facts), ...placeFacts(here.identity).filter(([, value]) => value), ...priceFacts(here)]);

// The spec that the button posts.
const wordsOf = ({ asked, workload }) => {
  const open = ['precision', 'batch_size'].filter((name) => !asked[name]).map((name) => words(name)).join(' and ');
  return ['A run of ', h('bdi', {}, workload), `, at most ${MOST_SECONDS} s long. All else is as `,
    h('a', { href: href({ view: 'measure', ...bodyOf(asked) }) }, 'the form under Measure'), ' has it',
    open && `: the machine decides on ${open}`, '.'];
};

const skeleton = () => {
  const parts = {
    head: h('h2', { id: 'here-title', tabindex: -1 }, 'This machine'), known: h('div', {}), load: h('div', {}), price: h('div', {}), live: h('div', {}),
    result: h('div', {}), words: h('p', { class: 'hint', id: 'here-words' }), wrong: h('p', { class: 'wrong', role: 'alert' }),
    button: h('button', { type: 'button', class: 'primary', 'aria-describedby': 'here-words' }, 'Measure this machine'),
  };
  parts.details = h('details', {}, h('summary', {}, 'What is known of it'), parts.known);
  parts.action = h('div', {}, h('p', { class: 'buttons' }, parts.button), parts.wrong, parts.words, parts.load);
  parts.element = h('section', { class: 'here', 'aria-labelledby': 'here-title', hidden: true },
    parts.head, parts.result, parts.live, parts.action, parts.details, parts.price);
  return parts;
};

// Shows the machine, who else uses it, and the form of its price, once; typed() follows a price. { here, stop }
const machinePart = (parts, isSmall, typed) => {
  const gone = new AbortController();
  const load = machineLoad();
  const stop = () => {
    gone.abort();
    load.stop();
  };
  const shown = { here: null, stop };
  const read = async () => {
    try {
      shown.here = await readMachine(gone.signal);
      parts.known.replaceChildren(machineFacts(shown.here));
    } catch (error) {
      if (error.name !== 'AbortError') parts.known.replaceChildren(problem(error, read));
    }
  };
  parts.load.replaceChildren(load.element);
  parts.details.open = !isSmall;
  parts.price.replaceChildren(typePrice(async () => {
    await read();
    typed();
  }, { open: !isSmall }));
  read();
  return shown;
};

// The run on the card, instead of the button: follow(id), leave().
const makeLive = ({ live, action, result, head }, hourly, onEnd) => {
  let box = null; // { id, element, stop }
  const leave = () => {
    // The button that cancels loses the focus to the body when it is pressed.
    const hadFocus = box && (live.contains(document.activeElement) || document.activeElement === document.body);
    box?.stop();
    box = null;
    live.replaceChildren();
    action.hidden = false;
    if (hadFocus) head.focus({ preventScroll: true });
  };
  const follow = (id) => {
    if (box?.id === id) return;
    leave();
    box = { id, ...progressBox(id, { onEnd, hourly }) };
    live.replaceChildren(box.element);
    result.replaceChildren();
    action.hidden = true;
  };
  return { follow, leave };
};

// Makes a run, unless one is under way: another tab may have started it. follow(id) shows it.
const starting = ({ button, wrong, head, element }, questionOf, follow) => async () => {
  if (button.disabled) return;
  const hadFocus = document.activeElement === button; // which a disabled button loses
  const question = questionOf();
  let next = button;
  button.disabled = true;
  wrong.textContent = '';
  try {
    const run = await currentRun(question);
    const { id } = run && !isFinal(run.state) ? run : await postOnce('/v1/runs', bodyOf(question.asked));
    if (!element.isConnected || questionOf().workload !== question.workload) return;
    follow(id);
    next = head;
  } catch (error) {
    wrong.textContent = [error.field, error.message].filter(Boolean).join(': ');
  } finally {
    button.disabled = false;
    if (hadFocus) next.focus();
  }
};

// onChanged() is called when a run has ended and when the price was typed: the comparison has another answer then.
export const makeMeasureHere = (onChanged) => {
  const parts = skeleton();
  const { element, action, result } = parts;
  let question = null; // { asked, workload }
  let machine = null; // what machinePart() made
  let hasMeasured = false; // a run was followed since the question was asked
  let looking = new AbortController();

  const hourly = () => {
    const price = machine?.here?.price;
    return price?.currency === 'USD' ? price.price_per_hour : null;
  };
  const live = makeLive(parts, hourly, onChanged);
  const follow = (id) => {
    hasMeasured = true;
    live.follow(id);
  };
  const leave = () => {
    live.leave();
    if (element.contains(document.activeElement)) document.querySelector('main').focus({ preventScroll: true });
    element.hidden = true;
  };
  const drawRun = (run, isSmall) => {
    if (run?.summary && run.validity?.level !== 'invalid') return leave(); // the question hides its row
    machine ??= machinePart(parts, isSmall, onChanged);
    parts.words.replaceChildren(...wordsOf(question));
    element.classList.toggle('aside', isSmall);
    element.hidden = false;
    if (run && !isFinal(run.state)) return follow(run.id);
    live.leave();
    result.replaceChildren(...(!run ? [] : run.summary ? [amounts(run), findings(run)] : [failure(run)]));
  };
  // A row without a price: the form stays, with its text.
  const drawRow = (row) => {
    if (!hasMeasured || machine?.here?.price !== null) return leave();
    live.leave();
    action.hidden = true;
    result.replaceChildren(h('p', {}, `It trains ${interval(row.throughput)} samples a second. Type what an hour costs, and it is ranked by samples per dollar.`));
  };
  const look = async (rows) => {
    const { signal } = looking;
    try {
      const head = await currentRun(question, signal);
      const run = head && (await get(`/v1/runs/${head.id}`, {}, { signal }));
      drawRun(run, rows.some((row) => row.throughput && row.provenance !== 'published'));
    } catch (error) {
      if (error.name !== 'AbortError') result.replaceChildren(problem(error));
    }
  };
  parts.button.addEventListener('click', starting(parts, () => question, follow));

  // Takes a complete answer and its question. Returns whether the card, with the price form, is on screen.
  const update = (answer, rows, asked) => {
    looking.abort();
    looking = new AbortController();
    if (JSON.stringify(asked) !== JSON.stringify(question?.asked)) hasMeasured = false;
    question = { asked, workload: answer.question.workload };
    const row = rows.find(measuredHere);
    if (row) drawRow(row);
    else if (fits(asked)) look(rows);
    else leave();
    return !element.hidden;
  };
  const stop = () => {
    looking.abort();
    machine?.stop();
    live.leave();
  };
  return { element, update, stop };
};
