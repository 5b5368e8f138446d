// A box with the progress of a run and a button to cancel it.
import { get, remove } from '../api.js';
import { announce, h } from '../dom.js';
import { dollars, hours, number, words } from '../format.js';
import { follow, isFinal } from '../live.js';
import { href } from '../state.js';

const SPOKEN_MS = 30000; // shortest time between two announcements to screen readers

const STATES = {
  queued: 'Waiting in the queue',
  running: 'Running',
  finished: 'Finished',
  failed: 'Failed',
  cancelled: 'Cancelled',
  interrupted: 'Interrupted: the server stopped during the run',
  preempted: 'Preempted: the cloud provider reclaimed the machine',
};

export const stateInWords = (state) => STATES[state] ?? words(state);

// A rounded estimate.
export const roughly = (seconds) => (seconds < 600 && seconds >= 60 ? `${Math.round(seconds / 60)} min` : seconds < 60 ? `${Math.round(seconds)} s` : hours(seconds / 3600));

export const timeLeft = (seconds) => (seconds < 1 ? 'about to end' : `about ${roughly(seconds)} left`);

const PHASES = { sizing: 'Choosing the batch', warm_up: 'Warm-up, not counted', measuring: 'Measuring' };

// Progress has only the half width of the interval.
const speed = ({ samples_per_second: value, half_width_percent: percent }) => {
  if (!value) return 'unknown: no step is done yet';
  return percent === null ? `${number(value)} samples/s` : `${number(value, (value * percent) / 100)} samples/s`;
};

const figures = ['Phase', 'Steps', 'Throughput so far', '95 % interval so far', 'Cost so far', 'Time left'];

const valuesOf = (progress, noPrice) => [
  PHASES[progress.phase],
  `${number(progress.steps_done, 10)} done`,
  speed(progress),
  progress.half_width_percent === null ? 'unknown: too few steps are measured' : `± ${number(progress.half_width_percent)} %`,
  progress.dollars === null ? `unknown: ${noPrice}` : dollars(progress.dollars),
  timeLeft(progress.seconds_left),
];

const spoken = (progress) =>
  `${PHASES[progress.phase]}: ${speed(progress)}, ${timeLeft(progress.seconds_left)}.`;

const parts = (id) => {
  const state = h('strong', { class: 'state' });
  const trouble = h('p', { class: 'trouble', role: 'alert' });
  const bar = h('progress', { max: 1, 'aria-label': 'Time of the run' });
  const cells = figures.map(() => h('dd', {}));
  const cancel = h('button', { type: 'button', class: 'cancel' }, 'Cancel this run');
  const element = h('section', { class: 'live', 'aria-label': `Progress of run ${id}` },
    h('p', { class: 'head' }, state, cancel), bar,
    h('dl', {}, figures.map((name, index) => h('div', {}, h('dt', {}, name), cells[index]))), trouble);
  return { element, state, trouble, bar, cells, cancel };
};

// Sends the cancellation once; the stream reports when the run has ended.
const cancelling = (id, { cancel, trouble }) => async () => {
  cancel.disabled = true;
  cancel.textContent = 'Being cancelled …';
  try {
    await remove(`/v1/runs/${id}`);
  } catch (error) {
    if (error.status === 409) return; // the run has ended already
    cancel.disabled = false;
    cancel.textContent = 'Cancel this run';
    trouble.textContent = error.message;
  }
};

const whyNoPrice = () => get('/v1/machine').then((machine) => machine.why_no_price, () => null);

// No form: the page is redrawn when the run ends, and typed text would be lost.
const priceLink = () => h('p', { class: 'note' }, h('a', { href: href({ view: 'prices' }, {}) }, 'Type what an hour of this machine costs'));

// Follows the run; onEnd(state) is called once it has ended. If the price form is on screen, hourly() returns the
// known price or null: a run that began without a price gets dollars from the server only at its end. { element, stop
// }
export const progressBox = (id, { onEnd, hourly = null } = {}) => {
  const box = parts(id);
  let noPrice = null; // asked once
  let reason = hourly ? 'type what an hour costs' : 'the price of this machine is not known';
  let saidAt = 0;
  let shown = null; // the last progress
  box.state.textContent = 'Connecting …';
  box.cancel.addEventListener('click', cancelling(id, box));

  const onState = ({ state, reason: why }) => {
    box.state.textContent = stateInWords(state);
    box.element.dataset.state = state;
    if (why) box.trouble.textContent = why;
    announce(`The run: ${stateInWords(state)}.`);
    if (isFinal(state)) box.cancel.remove();
    if (state === 'finished') box.bar.value = 1;
  };
  const draw = () => valuesOf(shown, reason).forEach((text, index) => {
    if (box.cells[index].textContent !== text) box.cells[index].textContent = text;
  });
  // The reason may take lines of its own. The link comes with it, so that it never moves below a pointer.
  const sayWhyNoPrice = (why) => {
    reason = why ?? reason;
    draw();
    box.element.append(priceLink());
  };
  const onProgress = (told) => {
    const hour = hourly?.() ?? null;
    const progress = told.dollars === null && hour !== null ? { ...told, dollars: (hour * told.elapsed_seconds) / 3600 } : told;
    shown = progress;
    if (progress.dollars === null && !noPrice && !hourly) noPrice = whyNoPrice().then(sayWhyNoPrice);
    box.bar.value = progress.elapsed_seconds / (progress.elapsed_seconds + progress.seconds_left || 1);
    draw();
    if (Date.now() - saidAt < SPOKEN_MS) return;
    if (saidAt) announce(spoken(progress));
    saidAt = Date.now();
  };
  const onTrouble = (error, seconds) => {
    box.element.classList.toggle('out-of-date', Boolean(error));
    const then = seconds === null ? ' Load the page again to try once more.' : ' The values shown are the last received; trying again.';
    box.trouble.textContent = error ? `${error.message}${then}` : '';
  };
  const stop = follow(id, { onState, onProgress, onEnd, onTrouble });
  return { element: box.element, stop };
};
