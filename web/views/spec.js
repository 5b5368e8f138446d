// A run's spec in the address, in a form, and as the body of a request.
import { h } from '../dom.js';
import { field, rows } from '../form.js';

// The group of each field; a field that is not listed goes to "how".
const GROUPS = [
  { title: 'What is measured', fields: ['workload', 'engine', 'precision', 'batch_size', 'layout', 'seed'] },
  { title: 'How it runs', fields: ['threads', 'input_workers', 'plan', 'isa', 'pinning', 'numa', 'huge_pages', 'openmp', 'allocator'], rest: true, folded: true },
  { title: 'How long, and how much', fields: ['steps', 'max_seconds', 'max_dollars', 'warmup_steps', 'min_seconds', 'target_percent', 'protocol'] },
];

const groupsOf = (schema) => {
  const known = new Set(GROUPS.flatMap((group) => group.fields));
  const names = Object.keys(schema.properties).filter((name) => name !== 'labels');
  const more = names.filter((name) => !known.has(name));
  return GROUPS.map((group) => ({ ...group, fields: [...group.fields, ...(group.rest ? more : [])].filter((name) => names.includes(name)) }));
};

const groupElement = ({ title, folded }, fields) => {
  const grid = h('div', { class: 'fields' }, fields.map((each) => each.element));
  if (!folded) return h('fieldset', { class: 'group' }, h('legend', {}, title), grid);
  return h('details', { class: 'group' }, h('summary', {}, title), grid);
};

// A folded group opens if a value in it is not the default or is wrong.
const unfold = (each) => {
  const folded = each.element.closest('details');
  if (folded) folded.open = true;
};

// The rule of a RunRequest for the native engine: { precision: { enum: [...] }, ... }.
const nativeRule = (request) => request.allOf.find((part) => part.if)?.then.properties ?? {};

// The fields of a RunSpec: { elements, fill(state), texts(), body(), fail(name, message), names }.
export const specForm = (schema, request, changed) => {
  const rule = nativeRule(request);
  // Offer only what the chosen engine has, as far as that is known.
  const narrow = () => {
    const native = fields.find((each) => each.name === 'engine')?.value() === 'native';
    for (const each of fields) if (rule[each.name]) each.narrow(native ? rule[each.name].enum : null);
  };
  const groups = groupsOf(schema).map((group) => {
    const fields = group.fields.map((name) => field(name, schema.properties[name], () => {
      narrow();
      changed();
    }));
    return { fields, element: groupElement(group, fields) };
  });
  const { description, maxProperties } = schema.properties.labels;
  const labels = rows('label', {
    title: 'Labels', hint: `${description}. At most ${maxProperties}; a key has letters, digits and . _ - /`,
    nameTitle: 'Key', textTitle: 'Value', placeholder: 'value', most: maxProperties,
  }, changed);
  const fields = groups.flatMap((group) => group.fields);
  const all = [...fields, labels];
  const nameOf = (name) => (name === 'labels' ? 'label' : name);

  const fill = (state) => {
    for (const each of all) {
      each.set(state[each.name]);
      if (each.isChanged()) unfold(each);
    }
    narrow();
  };
  const body = () => {
    const spec = Object.fromEntries(fields.filter((each) => each.isChanged()).map((each) => [each.name, each.value()]));
    const pairs = labels.pairs();
    return pairs.length ? { ...spec, labels: Object.fromEntries(pairs) } : spec;
  };
  // Returns whether the field exists; without a message, clears its error.
  const fail = (name, message) => {
    const found = all.find((each) => each.name === nameOf(name));
    if (!found) return false;
    found.fail(message);
    unfold(found);
    found.focus();
    return true;
  };
  return {
    elements: [...groups.map((group) => group.element), labels.element], fill, body, fail,
    texts: () => Object.fromEntries(all.map((each) => [each.name, each.text()])),
    names: fields.map((each) => each.name),
  };
};
