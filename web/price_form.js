// The form for this machine's price, if no feed has it: typed in one of three ways.
import { get, post } from './api.js';
import { announce, h } from './dom.js';
import { faultOf } from './form.js';
import { dollars } from './format.js';
import { whole } from './parts.js';

// The server's formulas. `body` makes the request's members; `words` has a text for each field.
const WAYS = [
  { name: 'Dollars an hour', fields: [['price_per_hour', 'Dollars an hour']],
    hour: ({ price_per_hour: price }) => price, words: (of) => of('price_per_hour'), body: (values) => values },
  { name: 'A bill a month', fields: [['per_month', 'Dollars a month']],
    hour: ({ per_month: bill }) => bill / 730, words: (of) => `${of('per_month')} / 730 hours`, body: (values) => values },
  { name: 'Own hardware', fields: [['own.purchase', 'Purchase in dollars'], ['own.years', 'Years of use'], ['own.watts', 'Watts while it trains'], ['own.cents_per_kwh', 'Cents a kilowatt-hour']],
    hour: ({ purchase, years, watts, cents_per_kwh: cents }) => purchase / (years * 8760) + ((watts / 1000) * cents) / 100,
    words: (of) => `${of('own.purchase')} / (${of('own.years')} × 8760 hours) + ${of('own.watts')} / 1000 × ${of('own.cents_per_kwh')} / 100`,
    body: (values) => ({ own: values }) },
];
const last = (name) => name.replace('own.', '');

let made = 0; // for ids that are unique on the page

// Text that is no number goes unchanged, so that the server says what is wrong with it.
const valueOf = (text) => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : text);

const inputOf = ([name, title], id, changed) => {
  const input = h('input', { id: `${id}-${last(name)}`, type: 'text', inputmode: 'decimal', autocomplete: 'off', spellcheck: 'false', oninput: changed });
  const fault = faultOf(input, `${input.id}-fault`);
  const element = h('div', { class: 'field' }, h('label', { for: input.id }, title), input, fault.element);
  return { name, title, element, fail: fault.set, text: () => input.value.trim(), focus: () => input.focus() };
};

const groupOf = (way, id, changed) => {
  const inputs = way.fields.map((field) => inputOf(field, id, changed));
  return { ...way, inputs, element: h('div', { class: 'fields' }, inputs.map((each) => each.element)),
    values: () => Object.fromEntries(inputs.map((each) => [last(each.name), valueOf(each.text())])) };
};

// "An hour: 1752 / (4 × 8760 hours) + 100 / 1000 × 30 / 100 = $0.080", with the names of what is missing.
const formula = (group) => {
  const words = group.words((name) => {
    const { text, title } = group.inputs.find((each) => each.name === name);
    return text() || title.toLowerCase();
  });
  const values = group.values();
  const hour = Object.values(values).every((each) => typeof each === 'number') ? group.hour(values) : NaN;
  return Number.isFinite(hour) ? `An hour: ${words} = ${dollars(hour)}` : `An hour: ${words}`;
};

// typed(answer) is called after the server has stored the price.
const priceForm = (typed) => {
  const id = `type-price-${made++}`;
  const shown = h('output', { class: 'formula' });
  const general = h('p', { class: 'wrong', role: 'alert' });
  const button = h('button', {}, 'Use this price'); // a page has its own primary button
  const look = () => {
    shown.textContent = formula(chosen);
  };
  const groups = WAYS.map((way) => groupOf(way, id, look));
  const radios = groups.map((group, index) => h('label', {}, h('input', { type: 'radio', name: id, checked: index === 0, onchange: () => choose(group) }), ' ', group.name));
  let [chosen] = groups;
  const choose = (wanted) => {
    chosen = wanted;
    for (const group of groups) group.element.hidden = group !== wanted;
    look();
  };
  const blame = (error) => {
    const input = chosen.inputs.find((each) => each.name === error.field);
    (input?.fail ?? ((text) => (general.textContent = text)))(error.message);
    (input ?? button).focus();
  };
  const send = async (event) => {
    event.preventDefault();
    general.textContent = '';
    for (const input of chosen.inputs) input.fail(null);
    button.disabled = true;
    try {
      typed(await post('/v1/prices', { machine: 'this', ...chosen.body(chosen.values()) }));
    } catch (error) {
      button.disabled = false;
      blame(error);
    }
  };
  choose(chosen);
  return h('form', { class: 'type-price', novalidate: true, 'aria-label': 'The price of this machine', onsubmit: send },
    h('fieldset', {}, h('legend', {}, 'How it is known'), radios), groups.map((group) => group.element),
    h('p', {}, shown), general, h('p', { class: 'buttons' }, button));
};

// The form if this machine has no price, folded unless `open`; then() redraws parts that show dollars.
export const typePrice = (then, { open = false } = {}) => {
  const element = h('div', {});
  const typed = async ({ machine: { price_per_hour: price, runs } }) => {
    const said = `An hour of this machine costs ${dollars(price)}.`;
    const priced = runs > 0 ? ` It is the price of ${whole(runs)} stored ${runs === 1 ? 'run' : 'runs'} too.` : '';
    element.replaceChildren(h('p', { class: 'note' }, said, priced));
    await then();
    announce(`${said}${priced}`);
  };
  get('/v1/machine').then(({ price }) => price === null && element.replaceChildren(
    h('details', { open }, h('summary', {}, 'Type what an hour of this machine costs'),
      h('p', { class: 'note' }, 'Its runs have dollars then: those from now on, and those that began without a price.'), priceForm(typed))), () => {});
  return element;
};
