// Prices of this machine and of any type, now and over time, and the feeds they come from.
import { get, post } from '../api.js';
import { priceChart } from '../charts/prices.js';
import { empty, h, loading, problem } from '../dom.js';
import { dollars, moment, words } from '../format.js';
import { feedsPart } from './feeds.js';
import { COMMITMENTS, commitmentWords, facts, foreign, money, priceSource, sendWhenChanged, table, whole } from '../parts.js';
import { twin } from '../charts/plot.js';
import { placeFacts, priceFacts, section } from './run_parts.js';
import { typePrice } from '../price_form.js';
import { go, state } from '../state.js';
import { takeBackButton, takenBack } from '../take_back.js';
import { discountsPart } from './discounts.js';

export const title = 'Prices';

const PAGE = 1000;
const MOST = 5000; // rows of a type's history
const FILTERS = ['instance_type', 'provider', 'region', 'zone', 'kind', 'feed'];
const KINDS = ['on_demand', 'spot', 'typed', 'own', ...COMMITMENTS.map(([kind]) => kind)];

let view = null; // { machine, form, answer, known, gone, asked }

const machinePart = async () => {
  const machine = await get('/v1/machine');
  const { identity, price } = machine;
  return { type: identity.instance_type, element: h('div', {}, facts([
    ...placeFacts(identity), ['Bought as', identity.life_cycle && words(identity.life_cycle)], ['Known from', identity.source], ...priceFacts(machine),
  ]), !price && typePrice(machineAgain), identity.note && h('p', { class: 'note' }, foreign(identity.note))) };
};

// After its price was typed.
const machineAgain = async () => {
  const mine = view;
  const { element } = await machinePart();
  if (view !== mine) return;
  mine.machine.replaceChildren(element);
  await fill(mine.asked);
};

const discounted = ({ discount }) => discount && h('p', { class: 'note' }, `${dollars(discount.price_per_hour)} at a factor of ${discount.factor}`, discount.note && [': ', foreign(discount.note)]);

// A later price that is held back for confirmation.
const waiting = ({ held }) =>
  held && h('p', { class: 'note' }, `In doubt: a reading of ${moment(held.since)} says `,
    held.held_price_per_hour === null ? 'there is no such price any more' : dollars(held.held_price_per_hour),
    held.count > 1 && `; ${whole(held.count)} prices wait`, '.');

const withdraw = (price) => {
  if (price.withdrawn) return ['withdrawn ', takenBack(price.withdrawn)];
  if (price.feed !== 'typed') return '';
  const what = `${money(price)} an hour for ${price.instance_type}`;
  return takeBackButton({ name: 'Withdraw', label: `Withdraw ${what}, since ${moment(price.valid_from)}`, title: 'Withdraw this price?', verb: 'Withdraw it',
    words: `${what} does not hold from now on; what was typed before it holds again. What runs paid stays as it is.`, said: 'The price is withdrawn.',
    act: (reason) => post(`/v1/prices/${price.id}/withdraw`, { reason }), then: () => fill(view.asked) });
};

const columns = [
  { name: 'Where', head: true, cell: (price) => h('span', { class: 'moment' }, price.provider ?? 'any provider', ' ', price.zone ?? price.region ?? '') },
  { name: 'Instance', cell: (price) => (price.instance_type ? foreign(price.instance_type) : 'this machine') },
  { name: 'Kind', cell: (price) => [words(price.kind), price.commitment && h('p', { class: 'note' }, commitmentWords(price.commitment))] },
  { name: 'An hour', number: true, cell: (price) => [price.price_per_hour === null ? 'no price from here on' : money(price), discounted(price), waiting(price)] },
  { name: 'Label', cell: (price) => [foreign(price.label), price.reference && [' ', foreign(price.reference)]] },
  { name: 'Holds since', cell: (price) => moment(price.valid_from) },
  { name: 'Source and age', cell: priceSource },
];

// Omits the column of buttons if nothing can be taken back.
const columnsOf = (prices) =>
  (prices.some((price) => price.feed === 'typed') ? [...columns, { name: 'Take back', cell: withdraw }] : columns);

// Each feed without a price, with its reason.
const missed = (unmatched) => unmatched.map(({ parameter, value, words: said }) =>
  h('p', {}, h('code', {}, `${parameter}=${value}`), ' matches nothing: ', h('bdi', {}, said), '.'));

const absent = (list) =>
  list.length > 0 && h('details', {}, h('summary', {}, `${list.length} ${list.length === 1 ? 'feed has' : 'feeds have'} no such price`),
    h('ul', {}, list.map(({ feed, reason }) => h('li', {}, h('code', {}, feed), ': ', foreign(reason)))));

const newest = (prices, asked) =>
  prices.length ? table(asked.instance_type ? 'Prices now' : 'Prices now, of all types', columnsOf(prices), prices)
    : empty('There is no such price', asked.instance_type ? [': ', foreign(asked.instance_type)] : '', '. Users enter prices with POST /v1/prices.');

const historyOf = async (asked, signal) => {
  const prices = [];
  let cursor = null;
  do {
    const page = await get('/v1/prices', { ...asked, history: true, limit: PAGE, cursor }, { signal });
    prices.push(...page.prices);
    cursor = page.next_cursor;
  } while (cursor && prices.length < MOST);
  return { prices, more: cursor !== null };
};

const pastPart = async (asked, now, signal) => {
  const { prices, more } = await historyOf(asked, signal);
  if (!prices.length) return '';
  return h('div', {}, more && h('p', { class: 'note' }, `The latest ${whole(prices.length)} prices; narrow the question for older ones.`),
    priceChart(asked.instance_type, prices, now), twin(table('All prices, latest first', columnsOf(prices), prices.slice(0, PAGE))));
};

const fill = async (now) => {
  if (!view) return;
  view.asked = now;
  view.gone?.abort();
  view.gone = new AbortController();
  const { answer, form, gone: { signal } } = view;
  const asked = Object.fromEntries(FILTERS.map((name) => [name, now[name]]));
  form.querySelector('.wrong').textContent = '';
  for (const input of form.querySelectorAll('[name]')) input.removeAttribute('aria-invalid');
  try {
    const page = await get('/v1/prices', { ...asked, limit: 200 }, { signal });
    const past = asked.instance_type ? await pastPart(asked, new Date(page.at), signal) : '';
    answer.replaceChildren(newest(page.prices, asked), page.next_cursor ? h('p', { class: 'note' }, 'The first 200: narrow the question for others.') : '', absent(page.absent) || '', missed(page.unmatched), past);
  } catch (error) {
    if (error.name === 'AbortError') return;
    const input = FILTERS.includes(error.field) && form.querySelector(`[name=${error.field}]`);
    input?.setAttribute?.('aria-invalid', 'true');
    if (input) form.querySelector('.wrong').textContent = `${words(error.field)}: ${error.message}`;
    answer.replaceChildren(input ? '' : problem(error, () => fill(now)));
  }
};

// Completes names of types from the catalogue.
const suggest = async (text) => {
  if (!view || text.length < 2) return;
  const { known } = view;
  const { instances } = await get('/v1/instances', { prefix: text, limit: 50 }).catch(() => ({ instances: [] }));
  known.replaceChildren(...[...new Set(instances.map((each) => each.instance_type))].map((value) => h('option', { value })));
};

const control = (name, now) => {
  const id = `price-${name}`;
  if (name === 'kind')
    return h('select', { id, name }, h('option', { value: '' }, 'any'), KINDS.map((kind) => h('option', { value: kind, selected: kind === now.kind }, words(kind))));
  const isType = name === 'instance_type';
  return h('input', { id, name, value: now[name] ?? '', autocomplete: 'off', spellcheck: 'false', list: isType && 'known-types', 'aria-describedby': 'price-wrong',
    oninput: isType && ((event) => suggest(event.target.value)) });
};

const controls = (now) =>
  h('form', { class: 'filters', role: 'search', 'aria-label': 'Which prices', novalidate: true, onchange: sendWhenChanged,
    onsubmit: (event) => {
      event.preventDefault();
      const given = new FormData(event.target);
      go(Object.fromEntries(FILTERS.map((name) => [name, (given.get(name) ?? '').trim()])));
    } },
  FILTERS.map((name) => h('div', { class: 'field' }, h('label', { for: `price-${name}` }, words(name)), control(name, now))),
  h('button', {}, 'Show'), h('p', { class: 'wrong', id: 'price-wrong', role: 'alert' }));

export const show = async (root, now) => {
  const feeds = feedsPart(() => fill(state()));
  const discounts = discountsPart();
  const machine = h('div', {}, loading('this machine'));
  view = { machine, form: h('div', {}), answer: h('div', {}, loading('prices')), known: h('datalist', { id: 'known-types' }), gone: null };
  const mine = view;
  root.append(section('This machine', machine), section('Prices of types', mine.form, mine.known, mine.answer), discounts.element, section('Feeds', feeds.element));
  mine.form.replaceChildren(controls(now));
  discounts.start();
  feeds.start().catch((error) => feeds.element.replaceChildren(problem(error)));
  const { type, element } = await machinePart().catch((error) => ({ type: null, element: problem(error) }));
  machine.replaceChildren(element);
  // By default shows the type of this machine; the address stays unchanged.
  const asked = FILTERS.some((name) => now[name]) || !type ? now : { ...now, instance_type: type };
  if (view === mine) {
    mine.form.replaceChildren(controls(asked));
    fill(asked);
  }
  return () => {
    feeds.stop();
    mine.gone?.abort();
    if (view === mine) view = null;
  };
};

export const change = (now) => {
  if (!view) return;
  const focus = document.activeElement?.id;
  view.form.replaceChildren(controls(now));
  if (focus) document.getElementById(focus)?.focus();
  fill(now);
};
