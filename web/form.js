// Fields of a form, made from a schema of the API's OpenAPI document, so that types, choices, limits,
// defaults and descriptions exist once.
import { h } from './dom.js';
import { words } from './format.js';

let made = 0; // for ids that are unique on the page

// The part with limits of { oneOf: [{ const: 'auto' }, ...] }; any other schema unchanged.
const limited = (schema) => schema.oneOf?.find((each) => each.type) ?? schema;
const isNumber = (schema) => [limited(schema).type].flat().some((type) => type === 'integer' || type === 'number');
const isOptional = (schema) => [schema.type].flat().includes('null');
const constants = (schema) => (schema.oneOf ?? []).filter((each) => 'const' in each).map((each) => each.const);

const plain = (value) => (value === null || value === undefined ? '' : `${value}`);
const digits = (value) => value.toLocaleString('en');

// A default as text, for the address and the input.
export const defaultText = (schema) => plain(schema.default);

// "32" -> 32, "auto" -> "auto", "" -> null: the value sent to the API. Other text goes unchanged,
// so that the API reports what is wrong with it.
export const valueOf = (schema, text) => {
  if (text === '' && isOptional(schema)) return null;
  if (!isNumber(schema) || text.trim() === '' || !Number.isFinite(Number(text))) return text;
  return Number(text);
};

const limits = (schema) => {
  const { minimum, exclusiveMinimum, maximum, type } = limited(schema);
  if (!isNumber(schema)) return '';
  const low = exclusiveMinimum === undefined ? digits(minimum ?? 0) : `more than ${digits(exclusiveMinimum)}`;
  const range = maximum === undefined ? `${low} or more` : `${low} to ${digits(maximum)}`;
  return [...constants(schema), [type].flat().includes('integer') ? range : `${range}, fractions too`].join(', or ');
};

// The error of a text by its schema; null for none.
export const complaint = (schema, text) => {
  const value = valueOf(schema, text);
  if (!isNumber(schema) || value === null || constants(schema).includes(value)) return null;
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity, type } = limited(schema);
  const isWhole = ![type].flat().includes('integer') || Number.isInteger(value);
  if (typeof value === 'number' && isWhole && value >= minimum && value > exclusiveMinimum && value <= maximum) return null;
  return `Must be ${limits(schema)}.`;
};

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const labelOf = (name) => capital(words(name)).replace(/\b(isa|numa)\b/i, (word) => word.toUpperCase()).replace('Openmp', 'OpenMP');

const hintOf = (schema) => {
  const range = limits(schema);
  const standard = schema.enum ? '' : schema.default === null ? 'none' : plain(schema.default);
  return [`${schema.description ?? ''}.`, range && ` ${capital(range)}.`, standard && ` Default: ${standard}.`].join('').replace(/^\.\s*/, '');
};

// Without a default the first choice sends nothing: the server takes what suits its machine.
const choice = (schema, id) =>
  h('select', { id }, schema.default === undefined && h('option', { value: '' }, 'of the machine (default)'), schema.enum.map((each) =>
    h('option', { value: each }, schema.names?.[each] ?? (each === schema.default ? `${each} (default)` : each))));

const box = (schema, id) =>
  h('input', {
    id, type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: isOptional(schema) ? 'none' : null,
    inputmode: isNumber(schema) && constants(schema).length === 0 ? 'decimal' : null,
    maxlength: schema.maxLength, list: schema.examples && `${id}-list`,
  });

// Suggested values; others may be typed.
const examples = (schema, id) =>
  schema.examples ? h('datalist', { id: `${id}-list` }, schema.examples.map((each) => h('option', { value: each }))) : [];

// The error message of an input: set('') clears it.
export const faultOf = (input, id, ...also) => {
  const fault = h('p', { id, class: 'wrong' });
  input.setAttribute('aria-describedby', [...also, id].join(' '));
  return {
    element: fault,
    set: (text) => {
      fault.textContent = text ?? '';
      if (text) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
    },
  };
};

// One field. text() returns its value, set(text) fills it (null: its default), fail(message) shows
// an error of the API, focus() moves there. It calls changed() after the user changes it.
export const field = (name, schema, changed) => {
  const id = `field-${made++}`;
  const input = schema.enum ? choice(schema, id) : box(schema, id);
  const fault = faultOf(input, `${id}-fault`, `${id}-hint`);
  const mark = h('span', { class: 'changed', hidden: true }, 'changed');
  const element = h('div', { class: 'field', 'data-field': name },
    h('label', { for: id }, labelOf(name), ' ', mark), input, examples(schema, id),
    h('p', { class: 'hint', id: `${id}-hint` }, hintOf(schema)), fault.element);
  const standard = defaultText(schema);
  const text = () => (input.value.trim() === '' ? standard : input.value.trim());
  const isChanged = () => text() !== standard;
  const look = () => {
    mark.hidden = !isChanged();
    fault.set(complaint(schema, text()));
  };
  const set = (value) => {
    const wanted = [value].flat()[0] ?? standard;
    // Also show a value that is no choice here, such as an engine of another server.
    if (schema.enum && wanted !== standard && !schema.enum.includes(wanted)) input.append(h('option', { value: wanted }, `${wanted} (unknown to this server)`));
    input.value = wanted;
    look();
  };
  input.addEventListener('change', () => {
    if (input.value.trim() === '') input.value = standard;
    look();
    changed();
  });
  // Hides the choices that are not in the list, except the chosen one; null: hides none.
  const narrow = (list) => {
    if (!schema.enum) return;
    for (const option of input.options) option.hidden = list !== null && option.value !== standard && !list.includes(option.value) && option.value !== input.value;
  };
  set(null);
  return { narrow, name, element, text: () => (isChanged() ? text() : null), value: () => valueOf(schema, text()), set, fail: fault.set, focus: () => input.focus(), isChanged };
};

// Rows of a name and a text, "name=text" in the address: labels, and lists of values of knobs.
// `names`: the choices; null: any word.
export const rows = (name, { title, hint, names = null, nameTitle, textTitle, placeholder, most = Infinity }, changed) => {
  const id = `field-${made++}`;
  const body = h('div', { class: 'rows' });
  const fault = h('p', { class: 'wrong', id: `${id}-fault` });
  const add = h('button', { type: 'button', onclick: () => append('', '').focus() }, `Add a ${title.toLowerCase().replace(/s$/, '')}`);
  const element = h('fieldset', { class: 'field wide', 'data-field': name, 'aria-describedby': `${id}-hint ${id}-fault` },
    h('legend', {}, title), h('p', { class: 'hint', id: `${id}-hint` }, hint), body, add, fault);

  const pairs = () => [...body.children].map((row) => [...row.querySelectorAll('select, input')].map((each) => each.value.trim()));
  const look = () => (add.disabled = body.children.length >= most);
  const append = (key, text) => {
    const first = names
      ? h('select', { 'aria-label': nameTitle }, names.map((each) => h('option', { value: each }, labelOf(each))))
      : h('input', { type: 'text', 'aria-label': nameTitle, placeholder: nameTitle.toLowerCase(), autocomplete: 'off', spellcheck: 'false' });
    if (key) first.value = key;
    const second = h('input', { type: 'text', 'aria-label': textTitle, placeholder, autocomplete: 'off', spellcheck: 'false' });
    second.value = text;
    const row = h('div', { class: 'row' }, first, second,
      h('button', { type: 'button', 'aria-label': `Remove this ${title.toLowerCase().replace(/s$/, '')}`, onclick: () => {
        row.remove();
        look();
        add.focus();
        changed();
      } }, 'Remove'));
    body.append(row);
    look();
    return first;
  };
  const set = (list) => {
    body.replaceChildren();
    for (const each of list === null || list === undefined ? [] : [list].flat()) {
      const at = each.indexOf('=');
      append(at < 0 ? each : each.slice(0, at), at < 0 ? '' : each.slice(at + 1));
    }
    fault.textContent = '';
    look();
  };
  body.addEventListener('change', () => {
    const twice = filled().map(([key]) => key).find((key, index, keys) => keys.indexOf(key) !== index);
    fault.textContent = twice ? `${twice} occurs twice: only the last one is sent.` : '';
    changed();
  });
  const filled = () => pairs().filter(([key, text]) => key && (text || !names));
  return {
    name, element, pairs: filled, set,
    text: () => (filled().length ? filled().map(([key, text]) => `${key}=${text}`) : null),
    fail: (text) => (fault.textContent = text ?? ''),
    focus: () => (body.querySelector('input') ?? add).focus(),
    isChanged: () => filled().length > 0,
  };
};
