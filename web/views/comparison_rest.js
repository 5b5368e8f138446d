// What the table lacks: rows that filters hide, and instance types without a measurement; and the figures
// that users entered.
import { h } from '../dom.js';
import { dollars } from '../format.js';
import { typePrice } from '../price_form.js';
import { href } from '../state.js';
import { figuresPart } from './comparison_figures.js';
import { FILTERS } from './comparison_load.js';
import { count as digits, measuredHere } from '../comparison_words.js';

const SHOWN = 100; // unmeasured types listed

const hidden = ({ hidden: { by_filters: count } }) =>
  count > 0 && h('p', {}, `${digits(count)} more ${count === 1 ? 'row is' : 'rows are'} hidden by the question: `,
    'only the best of each machine, or other filters. ',
    h('a', { href: href({ ...Object.fromEntries(FILTERS.map((each) => [each, null])), configuration: 'all' }) }, 'Show all'));

const price = (value) => h('td', { class: 'number' }, value === null ? h('span', { class: 'unknown' }, 'unknown') : dollars(value));

const line = ({ instance_type: instance, provider, prices_per_hour: prices, interruption_band: band }) =>
  h('tr', {}, h('th', { scope: 'row' }, h('bdi', {}, instance ?? 'unknown type')),
    h('td', {}, provider ?? 'unknown'), price(prices.on_demand), price(prices.spot), price(prices.typed),
    h('td', {}, band ?? h('span', { class: 'unknown' }, 'unknown')));

const unmeasured = ({ unmeasured: { count, reason, instances } }, workload) => {
  if (count === 0) return null;
  const body = h('tbody', {}, instances.slice(0, SHOWN).map(line));
  const more = instances.length > SHOWN && h('button', { type: 'button', onclick: (event) => {
    body.append(...instances.slice(SHOWN).map(line));
    event.target.remove();
  } }, `Show the other ${digits(instances.length - SHOWN)}`);
  return h('section', { 'aria-labelledby': 'unmeasured-title' },
    h('h2', { id: 'unmeasured-title' }, 'Not measured'),
    h('p', {}, `${digits(count)} ${count === 1 ? 'type has' : 'types have'} a price and no rank: ${reason}. `,
      instances.length < count && `The first ${digits(instances.length)} are listed. `,
      h('a', { href: href({ view: 'measure', workload }, {}) }, 'Measure here')),
    h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Types without a measurement' },
      h('table', { class: 'unmeasured' }, h('caption', {}, 'Dollars an hour'),
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Instance'), h('th', { scope: 'col' }, 'Provider'),
          ['On demand', 'Spot', 'Typed'].map((each) => h('th', { scope: 'col', class: 'number' }, each)),
          h('th', { scope: 'col' }, 'Interruptions'))), body)), more);
};

// For a workload without rows: the workloads that have some.
const others = (workload, known) => {
  const names = known.filter((each) => each !== workload);
  return h('div', { class: 'empty' },
    h('p', {}, 'This server has no run and no published figure of it. ',
      h('a', { href: href({ view: 'measure', workload }, {}) }, 'Measure it')),
    names.length > 0 && h('p', {}, 'These workloads have runs or figures: ',
      names.map((each, i) => [i > 0 && ', ', h('a', { href: href({ workload: each }, {}) }, h('bdi', {}, each))]), '.'));
};

const unpriced = (row) => !row.price && measuredHere(row);

// onChanged() is called when a figure was removed, and when the price of this machine was typed.
export const makeRest = (onChanged) => {
  const element = h('div', { class: 'rest' });
  let answer = null;
  let any = true;
  let known = [];
  let figures = [];
  let price = null; // the form for it, made once it is wanted
  const removed = (figure) => {
    figures = figures.filter((each) => each !== figure);
    draw();
    onChanged();
  };
  const draw = () => {
    const { workload } = answer.question;
    const open = element.querySelector('.own-figures')?.open;
    const own = figuresPart(figures, removed);
    if (own && open) own.open = true;
    element.replaceChildren(...[!any && others(workload, known), price, hidden(answer), unmeasured(answer, workload), own].filter(Boolean));
  };
  // hasForm: the form of the price is on screen already.
  const update = (now, rows, hasForm) => {
    [answer, any] = [now, rows.length > 0];
    if (!hasForm && rows.some(unpriced)) price ??= typePrice(onChanged);
    draw();
  };
  const offer = (workloads, ownFigures) => {
    known = workloads;
    figures = ownFigures;
    if (answer && (!any || figures.length)) draw();
  };
  return { element, update, offer };
};
