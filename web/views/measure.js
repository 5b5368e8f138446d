// The forms for a new run and a new sweep. Their values are in the address, so a link repeats them
// and a reload keeps them.
import { get } from '../api.js';
import { announce, h } from '../dom.js';
import { machineLoad } from '../machine_load.js';
import { isUnanswered, postOnce } from '../pending.js';
import { roughly } from './progress.js';
import { sweepForm } from './sweep_form.js';
import { specForm } from './spec.js';
import { go, href, state } from '../state.js';

export const title = 'Measure';

const LONGEST = 1900; // bytes of an address; the server accepts little more
const FORMS = { run: 'One run', sweep: 'A sweep' };
const kindOf = (now) => (now.form === 'sweep' ? 'sweep' : 'run');

let fillIn = () => {}; // fills the form on screen from the state
let own = false; // true while the form itself changes the state

const tabs = (now) =>
  h('nav', { class: 'tabs', 'aria-label': 'What to queue' }, h('ul', {}, Object.entries(FORMS).map(([name, words]) =>
    h('li', {}, h('a', { href: href({ form: name === 'run' ? null : name }, now), 'aria-current': name === kindOf(now) && 'page' }, words)))));

// Shows an error of the API at the field it names, or else above the button.
const blame = (error, forms, general) => {
  const path = (error.field ?? '').replace(/^base\./, '');
  const message = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`.replace(/\.\.$/, '.');
  general.textContent = '';
  if (path && forms.some((form) => form.fail(path, message))) {
    announce(`${path.replaceAll('_', ' ')}: ${message}`);
    return;
  }
  general.textContent = error.status === 0 ? `${message} Send the request again: the server makes it at most once.` : message;
};

const submitting = ({ form, button, general, request, path, view }, forms) => async (event) => {
  event.preventDefault();
  if (button.disabled) return;
  const name = button.textContent;
  button.disabled = true;
  button.textContent = 'Being sent …';
  try {
    const made = await postOnce(path, request());
    if (form.isConnected) go({ view, id: made.id });
  } catch (error) {
    blame(error, forms, general);
  } finally {
    button.disabled = false;
    button.textContent = name;
  }
};

// Parts of both forms: the button, the request, and its errors.
const frame = (kind, elements) => {
  const general = h('p', { class: 'wrong', role: 'alert' });
  const shown = h('code', {});
  const notice = h('p', { class: 'hint' });
  const unkept = h('p', { class: 'hint', hidden: true }, 'The labels are too long for the address: they are sent, but a link or a reload loses them.');
  const button = h('button', { type: 'submit', class: 'primary' }, kind === 'run' ? 'Queue this run' : 'Queue this sweep');
  const clear = h('a', { href: href({ view: 'measure', form: kind === 'sweep' ? kind : null }) }, 'All defaults');
  const form = h('form', { class: 'measure-form', novalidate: true, 'aria-label': FORMS[kind] }, elements,
    h('div', { class: 'send' }, general, h('p', { class: 'buttons' }, button, clear), notice, unkept),
    h('details', {}, h('summary', {}, 'Request body'), h('p', { class: 'hint' }, 'Only what differs from the defaults.'),
      h('pre', { class: 'request', tabindex: 0 }, shown)));
  return { form, general, shown, notice, unkept, button };
};

const build = (description, kind, root) => {
  const { RunSpec: run, RunRequest: order, SweepRequest: sweep } = description.components.schemas;
  const path = kind === 'run' ? '/v1/runs' : '/v1/sweeps';
  const changed = () => {
    look();
    parts.general.textContent = '';
    own = true; // do not fill in again what the user types
    const filled = Object.fromEntries(forms.flatMap((form) => Object.entries(form.texts())));
    const fits = href(filled).length <= LONGEST;
    go(fits ? filled : { ...filled, label: null }, { replace: true });
    parts.unkept.hidden = fits;
    own = false;
    root.querySelector('.tabs').replaceWith(tabs(state()));
  };
  const spec = specForm(run, order, changed);
  const ofSweep = kind === 'run' ? null : sweepForm(sweep, run, changed);
  const forms = ofSweep ? [ofSweep, spec] : [spec];
  const request = () => {
    if (!ofSweep) return spec.body();
    const base = spec.body();
    return { ...ofSweep.body(), ...(Object.keys(base).length && { base }) };
  };
  // Show the estimated cost of a sweep before it starts.
  const size = () => {
    const runs = ofSweep?.runs() ?? null;
    const most = spec.body().max_seconds ?? run.properties.max_seconds.default;
    return Number.isInteger(runs * most) && runs ? `Makes ${runs} runs of at most ${roughly(most)} each.` : '';
  };
  const look = () => {
    parts.shown.textContent = `POST ${path}\n${JSON.stringify(request(), null, 2)}`;
    const again = isUnanswered(path, request()) ? 'This request was sent before, and its answer was lost. Sending it again does not repeat it.' : '';
    parts.notice.textContent = [again, size()].filter(Boolean).join(' ');
  };
  const parts = frame(kind, [ofSweep?.element, ...spec.elements]);
  parts.form.addEventListener('submit', submitting({ ...parts, request, path, view: kind }, forms));
  return { form: parts.form, fill: (now) => { forms.forEach((form) => form.fill(now)); look(); } };
};

export const show = async (root, now) => {
  const description = await get('/v1/openapi.json');
  let shown = null; // the form on screen and its schema
  const load = machineLoad();
  fillIn = (wanted) => {
    const kind = kindOf(wanted);
    root.querySelector('.tabs').replaceWith(tabs(wanted));
    if (shown?.kind !== kind) {
      shown = { kind, ...build(description, kind, root) };
      root.querySelector('.form').replaceChildren(shown.form);
    }
    shown.fill(wanted);
  };
  root.append(h('p', {}, 'A run trains a network for a while on the machine that this server runs on, and measures how fast. ',
    h('a', { href: href({ view: 'sweep' }) }, 'Sweeps so far')), load.element, h('div', { class: 'tabs' }), h('div', { class: 'form' }));
  fillIn(now);
  return () => {
    fillIn = () => {};
    load.stop();
  };
};

// Called when the address changes: by the back button, a link, or this form.
export const change = (now) => {
  if (!own) fillIn(now);
};
