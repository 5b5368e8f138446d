// The form of the question: each field is a parameter of the API and of the address.
import { h } from '../dom.js';
import { COMMITMENTS } from '../parts.js';
import { go, href, state } from '../state.js';
import { PARAMETERS } from './comparison_load.js';

const WAIT_MS = 450; // after the last key

// kind: select (choices), number, list (several values, with commas between), or text.
const FIELDS = [
  { group: 'main', name: 'workload', label: 'Workload', list: 'workloads', hint: 'resnet50' },
  { group: 'main', name: 'price', label: 'Price', kind: 'select', choices: [['', 'on demand'], ['spot', 'spot'],
    ['spot,on_demand', 'spot where known'], ['typed', 'typed'], ['paid', 'as paid'],
    ['reserved_1y_no_upfront,committed_use_1y', 'committed, 1 year'], ['reserved_3y_no_upfront,committed_use_3y', 'committed, 3 years'],
    ...COMMITMENTS] },
  { group: 'main', name: 'region', label: 'Region', list: 'regions', hint: 'one for each cloud' },
  { group: 'main', name: 'reference', label: 'Reference', list: 'instances', hint: 'an instance type' },
  { group: 'job', name: 'samples', label: 'Samples', kind: 'number', hint: '1000000' },
  { group: 'job', name: 'epochs', label: 'Epochs of ImageNet', kind: 'number', hint: '90' },
  { group: 'job', name: 'deadline_h', label: 'Deadline, hours', kind: 'number', hint: '24' },
  { group: 'job', name: 'deadline', label: 'Deadline, day or time', hint: '2026-12-01' },
  { group: 'job', name: 'budget', label: 'Budget, dollars', kind: 'number', hint: '100' },
  { group: 'job', name: 'hourly_value', label: 'Value of an hour, dollars', kind: 'number', hint: '0' },
  { group: 'more', name: 'label', label: 'Only runs with these labels', kind: 'list', hint: 'branch=main' },
  { group: 'more', name: 'sender', label: 'Only runs of this sender', list: 'senders', hint: 'a token, or local' },
  { group: 'more', name: 'discount', label: 'Discount, a factor', kind: 'list', hint: '0.8, or c7i.:0.8' },
  { group: 'more', name: 'price_of', label: 'Assumed price of a type', kind: 'list', hint: 'c7i.2xlarge:0.30' },
  { group: 'more', name: 'configuration', label: 'Configurations', kind: 'select', choices: [['', 'the best of each'], ['all', 'all']] },
  { group: 'more', name: 'provenance', label: 'From', kind: 'select', choices: [['', 'everything'],
    ['measured', 'measured'], ['published', 'published by others']] },
  { group: 'more', name: 'sort', label: 'Ranked by', kind: 'select', choices: [['', 'the question'],
    ['samples_per_dollar', 'samples per dollar'], ['throughput', 'throughput'], ['total_dollars', 'total dollars']] },
  { group: 'more', name: 'utility', label: 'Formula to rank by', wide: true, hint: 'samples_per_dollar * min(1, 10 / hours)' },
];

const shown = (value) => [value ?? ''].flat().join(', ');

const read = (field, text) => {
  const trimmed = text.trim();
  if (field.kind !== 'list') return trimmed || null;
  const values = trimmed.split(',').map((each) => each.trim()).filter(Boolean);
  return values.length ? values : null;
};

const input = (field, onType, onChoose) => {
  const common = { id: `ask-${field.name}`, name: field.name, 'aria-describedby': `error-${field.name}` };
  if (field.kind === 'select')
    return h('select', { ...common, onchange: onChoose },
      field.choices.map(([value, text]) => h('option', { value }, text)));
  return h('input', { ...common, type: 'text', inputmode: field.kind === 'number' && 'decimal', placeholder: field.hint,
    autocomplete: 'off', spellcheck: 'false', list: field.list && `list-${field.list}`, oninput: onType, onchange: onChoose });
};

// A value typed into the address becomes one more choice.
const set = (element, field, value) => {
  const text = shown(value);
  if (field.kind === 'select' && ![...element.options].some((option) => option.value === text)) {
    // defaults of the API, such as 'best'
    element.append(h('option', { value: text }, text));
  }
  if (element.value !== text) element.value = text;
};

// Position of an error in a formula; the API counts characters from 1.
const pointer = (text, error) => {
  const at = Number(/character (\d+)/.exec(error.message)?.[1]);
  if (!at) return null;
  const point = text.slice(at - 1, at) || ' ';
  return h('code', { class: 'formula' }, text.slice(0, at - 1), h('mark', {}, point), text.slice(at));
};

const chips = (now) => {
  const known = new Set(FIELDS.map((field) => field.name));
  const others = PARAMETERS.filter((name) => now[name] && !known.has(name));
  return others.map((name) =>
    h('li', {}, h('a', { class: 'chip', href: href({ [name]: null }) },
      h('bdi', {}, `${name} = ${shown(now[name])}`), h('span', { 'aria-hidden': 'true' }, ' ×'),
      h('span', { class: 'hidden' }, ', take away'))));
};

export const makeControls = () => {
  const timers = new Map();
  const inputs = new Map();
  const errors = new Map();
  const groups = { main: [], job: [], more: [] };
  const apply = (field, replace) => {
    clearTimeout(timers.get(field.name));
    timers.delete(field.name);
    go({ [field.name]: read(field, inputs.get(field.name).value) }, { replace });
  };
  for (const field of FIELDS) {
    const element = input(field, () => {
      clearTimeout(timers.get(field.name));
      timers.set(field.name, setTimeout(() => apply(field, true), WAIT_MS));
    }, () => apply(field, field.kind !== 'select'));
    const error = h('p', { id: `error-${field.name}`, class: 'wrong', hidden: true });
    inputs.set(field.name, element);
    errors.set(field.name, error);
    groups[field.group].push(h('div', { class: field.wide ? 'field wide' : 'field' },
      h('label', { for: `ask-${field.name}` }, field.label), element, error));
  }
  const lists = Object.fromEntries(['workloads', 'regions', 'instances', 'senders'].map((name) => [name, h('datalist', { id: `list-${name}` })]));
  const job = h('details', {}, h('summary', {}, 'A job: its size, deadline and budget'), h('div', { class: 'fields' }, groups.job));
  const more = h('details', {}, h('summary', {}, 'Labels, senders, discounts, what if, which rows, formula'), h('div', { class: 'fields' }, groups.more));
  const others = h('ul', { class: 'chips', 'aria-label': 'Other parameters in the address' });
  const fieldOf = (focused) => FIELDS.find((field) => field.name === focused?.name);
  const element = h('form', { class: 'ask', role: 'search', 'aria-label': 'The question', onsubmit: (event) => {
    event.preventDefault();
    const field = fieldOf(document.activeElement);
    if (field) apply(field, true);
  } }, h('div', { class: 'fields main' }, groups.main), job, more, others, Object.values(lists));

  const update = (now) => {
    for (const field of FIELDS) {
      // Do not overwrite the field while the user types.
      const element = inputs.get(field.name);
      if (!timers.has(field.name) && shown(read(field, element.value)) !== shown(now[field.name])) set(element, field, now[field.name]);
      if (now[field.name] && field.group === 'job') job.open = true;
      if (now[field.name] && field.group === 'more') more.open = true;
    }
    others.replaceChildren(...chips(now));
    others.hidden = others.children.length === 0;
  };
  // The name of the field at fault; null if the form has no such field.
  const showError = (error) => {
    for (const [name, place] of errors) {
      const mine = error?.field === name;
      place.replaceChildren(...(mine ? [error.message, pointer(shown(state()[name]), error)].filter(Boolean) : []));
      place.hidden = !mine;
      if (mine) inputs.get(name).setAttribute('aria-invalid', 'true');
      else inputs.get(name).removeAttribute('aria-invalid');
      if (mine) place.closest('details')?.setAttribute('open', '');
    }
    return errors.has(error?.field) ? FIELDS.find((field) => field.name === error.field).label : null;
  };
  const offer = (name, values) => lists[name].replaceChildren(...values.map((value) => h('option', { value })));
  const hint = (name, text) => inputs.get(name).setAttribute('placeholder', text);
  const stop = () => timers.forEach(clearTimeout);
  return { element, update, showError, offer, hint, stop };
};
