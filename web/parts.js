// Parts shared by several views: tables, lists of facts, words for runs and prices.
import { h, s } from './dom.js';
import { age, dollars, number, words } from './format.js';
import { href } from './state.js';

// Foreign text: isolates its direction and lets long words break.
export const foreign = (text) => h('bdi', { class: 'foreign' }, text);

export const unknown = (reason) =>
  h('span', { class: 'unknown' }, reason ? `unknown: ${reason}` : 'unknown');

// A count: 12,345.
export const whole = (count) => number(count, 10);

// [['Term', 'value' or element], ...]; null, undefined and '' show as unknown.
export const facts = (pairs) =>
  h('dl', { class: 'ledger' }, pairs.filter(Boolean).map(([term, value]) =>
    h('div', {}, h('dt', {}, term),
      h('dd', {}, value === null || value === undefined || value === '' ? unknown() : value))));

// columns: [{ name, cell: (row) => text or element, number: true, head: true }]. A table
// that is too wide scrolls on its own, by keyboard too.
export const table = (caption, columns, rows, attributes = {}) =>
  h('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': caption },
    h('table', attributes, h('caption', {}, caption),
      h('thead', {}, h('tr', {}, columns.map((column) =>
        h('th', { scope: 'col', class: column.number && 'number' }, column.name)))),
      h('tbody', {}, rows.map((row) => tableRow(columns, row)))));

export const tableRow = (columns, row) =>
  h('tr', {}, columns.map((column) =>
    h(column.head ? 'th' : 'td', { scope: column.head && 'row', class: column.number && 'number' }, column.cell(row))));

const MARKS = { ok: ['✓', 'valid'], warn: ['!', 'valid, with a warning'], invalid: ['✕', 'invalid'], unknown: ['?', 'unknown'] };

// The validity of a number, as a mark and a word, never as colour alone.
export const validity = (level, word) => {
  const [mark, meaning] = MARKS[level] ?? MARKS.unknown;
  return h('span', { class: `judged ${level ?? 'unknown'}` }, h('span', { class: 'sign', 'aria-hidden': 'true' }, mark), ' ', word ?? meaning);
};

export const runState = (run) => h('span', { class: `state ${run.state}` }, run.state);

export const labels = (all) => {
  const entries = Object.entries(all ?? {});
  if (!entries.length) return null;
  return h('ul', { class: 'labels' }, entries.map(([key, value]) =>
    h('li', {}, h('a', { href: href({ view: 'runs', label: `${key}=${value}` }) },
      foreign(key), ': ', foreign(value.length > 120 ? `${value.slice(0, 120)}…` : value)))));
};

// The values of a configuration that differ from the defaults.
const PLAIN = { precision: null, batch_size: null, layout: 'auto', plan: 'auto', isa: 'auto', threads: 0, input_workers: 0,
  pinning: 'cores', numa: 'auto', huge_pages: 'auto', openmp: 'gnu', allocator: 'system', protocol: 'detected' };

export const configuration = (spec) =>
  Object.entries(PLAIN)
    .filter(([name, plain]) => spec[name] !== plain)
    .map(([name, plain]) => (name === 'batch_size' ? `batch ${spec[name]}` : plain === null ? spec[name] : `${words(name)} ${spec[name]}`))
    .join(', ');

const WHERE = ['provider', 'region', 'zone'];

// An amount in its own currency.
export const money = ({ price_per_hour: value, currency }) =>
  (currency === 'USD' || value === null ? dollars(value) : `${number(value)} ${currency}`);

// "$0.357 an hour, typed (given by a person), aws us-east-1": the price, its kind, and where it holds.
export const priceWords = (price) => {
  const where = WHERE.map((name) => price[name]).filter(Boolean).join(' ');
  return `${money(price)} an hour, ${words(price.kind)} (${price.label})${where ? `, ${where}` : ''}`;
};

// Every kind of price of a commitment, with words for it.
export const COMMITMENTS = [['reserved', 'reserved'], ['convertible', 'convertible'], ['savings_plan', 'savings plan'],
  ['instance_savings_plan', 'savings plan of a family']]
  .flatMap(([kind, name]) => [[1, '1 year'], [3, '3 years']].flatMap(([years, term]) => [['no', 'nothing'], ['partial', 'part'], ['all', 'all']]
    .map(([payment, upfront]) => [kind === 'savings_plan' && payment === 'no' ? `${kind}_${years}y` : `${kind}_${years}y_${payment}_upfront`,
      `${name}, ${term}, ${upfront} upfront`])))
  .concat([['committed_use_1y', 'committed use, 1 year'], ['committed_use_3y', 'committed use, 3 years']]);

// "1 year, $876 of it at once": the term of a commitment and what is paid up front.
export const commitmentWords = ({ years, payment, upfront }) =>
  `for ${years} ${years === 1 ? 'year' : 'years'}, ${upfront > 0 ? `${dollars(upfront)} of it at once` : words(payment)}`;

// The source of a price and its age, and a warning if it is stale.
export const priceSource = (price) => {
  const said = price.source_time ?? price.fetched_at ?? price.valid_from;
  return h('span', {}, price.third_party ? 'third party ' : '', price.feed, ', said ',
    said ? h('time', { datetime: said, title: said }, age(said)) : 'at an unknown time',
    price.freshness === 'fresh' ? null : [' ', h('span', { class: 'badge warn' }, price.freshness)]);
};

// Calls repeatedly while the page is visible; returns a function that stops it.
export const every = (milliseconds, call) => {
  const timer = setInterval(() => {
    if (!document.hidden) call();
  }, milliseconds);
  return () => clearInterval(timer);
};

// A form that sends itself on each change. Enter sends it too, but the change came first and may have
// replaced the form by then.
export const sendWhenChanged = ({ currentTarget: form }) => setTimeout(() => form.isConnected && form.requestSubmit());

// The ranks that a row or cell may have as a bar along all ranks.
export const rankBar = ({ low, high }, ranked) => s('svg', { class: 'rank-bar', viewBox: `0 0 ${ranked} 1`,
  preserveAspectRatio: 'none', 'aria-hidden': 'true' },
  s('rect', { class: 'all', width: ranked, height: 1 }), s('rect', { class: 'own', x: low - 1, width: high - low + 1, height: 1 }));
