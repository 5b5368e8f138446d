// The fields of a sweep, other than the spec that its runs share.
import { h } from '../dom.js';
import { field, rows, valueOf } from '../form.js';

// The numbers that each preset uses.
const HEEDED = { aa: ['pairs'], tune: ['blocks', 'budget_seconds'] };
const heeded = (preset) => HEEDED[preset] ?? ['blocks'];

const named = ({ properties }, name) => ({ ...properties[name], description: (properties[name].description ?? '').replaceAll('`', '').replace(/\.$/, '') });

const described = (schema, name, words) => {
  const own = named(schema, name);
  return own.description ? own : { ...own, description: words };
};

const listOf = (schema, text) => text.split(',').map((each) => each.trim()).filter((each) => each !== '').map((each) => valueOf(schema, each));

// { element, fill(state), texts(), body(), fail(name, message) }; `spec` is the schema of a run.
export const sweepForm = (schema, spec, changed) => {
  const preset = field('preset', named(schema, 'preset'), () => {
    look();
    changed();
  });
  const numbers = ['blocks', 'pairs', 'budget_seconds'].map((name) => field(name, described(schema, name, 'Seconds'), changed));
  const [blocks, pairs] = numbers;
  const properties = Object.fromEntries(Object.entries(spec.properties).filter(([name]) => name !== 'labels'));
  const knobs = rows('knob', {
    title: 'Knobs', hint: 'Values with commas between them, such as 8, 16, 32. Every combination is a cell; 64 at most.',
    names: Object.keys(properties), nameTitle: 'Knob', textTitle: 'Values', placeholder: '8, 16, 32',
  }, changed);
  const all = [preset, ...numbers, knobs];
  const element = h('fieldset', { class: 'group' }, h('legend', {}, 'The sweep'),
    h('div', { class: 'fields' }, [preset, ...numbers].map((each) => each.element)), knobs.element);

  const look = () => {
    const chosen = preset.value();
    knobs.element.hidden = chosen !== 'matrix';
    for (const each of numbers) each.element.hidden = !heeded(chosen).includes(each.name);
  };
  const shown = () => all.filter((each) => !each.element.hidden);
  const fill = (state) => {
    for (const each of all) each.set(state[each.name]);
    if (!state.knob) knobs.set('batch_size=');
    look();
  };
  const body = () => {
    const given = Object.fromEntries(shown().filter((each) => each !== knobs && each.isChanged()).map((each) => [each.name, each.value()]));
    const lists = knobs.element.hidden ? [] : knobs.pairs().map(([name, text]) => [name, listOf(properties[name] ?? {}, text)]);
    return lists.length ? { ...given, knobs: Object.fromEntries(lists) } : given;
  };
  const fail = (name, message) => {
    const [first, knob] = name.split('.');
    const found = all.find((each) => each.name === (first === 'knobs' ? 'knob' : first));
    if (!found) return false;
    found.fail(knob ? `${knob}: ${message}` : message);
    found.focus();
    return true;
  };
  // The number of runs, where it is known in advance.
  const runs = () => {
    const request = body();
    if (request.preset === 'aa') return 2 * pairs.value();
    if (request.preset || !request.knobs) return null;
    return Object.values(request.knobs).reduce((product, values) => product * values.length, 1) * blocks.value();
  };
  return { element, fill, body, fail, runs, texts: () => Object.fromEntries(all.map((each) => [each.name, each.element.hidden ? null : each.text()])) };
};
