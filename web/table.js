// A table that stays fast with thousands of rows. Rows form slices of one tbody each; a slice out of
// sight is one empty row of the same height. Sorting and filtering work on the list of all rows,
// drawn or not.
//
// A column: { id, title, hint, width (rem), number, heading, most, value(row), cell(row) }. value() is
// the sort key, null last; most: the first click sorts downwards.
import { h } from './dom.js';

const SLICE = 20;
const ROW_PX = 60; // until a slice was measured
const TALL = 40; // rows; a longer table scrolls on its own, under fixed heads
const NEAR_PX = 1200; // distance from the view at which slices are drawn

const collator = new Intl.Collator('en', { numeric: true });

const compare = (a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(a, b));

// order: { id, down }; null keeps the order of the API.
export const sorted = (rows, columns, order) => {
  const column = order && columns.find((each) => each.id === order.id);
  if (!column) return rows;
  const keyed = rows.map((row, i) => ({ row, i, key: column.value(row) ?? null }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.i - b.i;
    return (order.down ? compare(b.key, a.key) : compare(a.key, b.key)) || a.i - b.i;
  });
  return keyed.map((each) => each.row);
};

// "-price" <-> { id: 'price', down: true }
export const readOrder = (text) => (text ? { id: text.replace(/^-/, ''), down: text.startsWith('-') } : null);
const writeOrder = (order) => (order ? `${order.down ? '-' : ''}${order.id}` : null);

// The first click sorts, the second reverses, the third restores the order of the answer.
const nextOrder = (column, order) => {
  const down = Boolean(column.most);
  if (order?.id !== column.id) return { id: column.id, down };
  return order.down === down ? { id: column.id, down: !down } : null;
};

const heading = (column, order, onOrder) => {
  const here = order?.id === column.id;
  return h('th', { scope: 'col', class: column.number && 'number', 'aria-sort': here && (order.down ? 'descending' : 'ascending') },
    h('button', { type: 'button', class: 'sort', 'data-column': column.id, title: column.hint, onclick: () => onOrder(writeOrder(nextOrder(column, order))) },
      column.title, h('span', { class: 'arrow', 'aria-hidden': 'true' }, here ? (order.down ? ' ▼' : ' ▲') : ' ↕')));
};

const line = (row, number, columns) =>
  h('tr', { 'aria-rowindex': number + 2 }, columns.map((column) =>
    h(column.heading ? 'th' : 'td', { scope: column.heading && 'row', class: column.number && 'number' }, column.cell(row))));

export const makeTable = ({ label, onOrder }) => {
  const table = h('table', { class: 'rows' });
  const element = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, table);
  const bodies = new WeakMap();
  let slices = [];
  let columns = [];

  const draw = (slice) => {
    if (slice.drawn) return;
    slice.drawn = true;
    slice.body.replaceChildren(...slice.rows.map((row, i) => line(row, slice.from + i, columns)));
  };
  const clear = (slice, height = slice.rows.length * ROW_PX) => {
    slice.drawn = false;
    const space = h('td', { colspan: columns.length });
    space.style.height = `${height}px`; // by script: the policy allows no style attribute
    slice.body.replaceChildren(h('tr', { class: 'space', 'aria-hidden': 'true' }, space));
  };
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const slice = bodies.get(entry.target);
      if (entry.isIntersecting) draw(slice);
      // Keep the element with the focus, or the keyboard would lose its place.
      // The entry has the height: reading it from the element would force a layout.
      else if (slice.drawn && !slice.body.contains(document.activeElement)) clear(slice, entry.boundingClientRect.height);
    }
  }, { root: element, rootMargin: `${NEAR_PX}px 0px` });
  const all = () => slices.forEach(draw); // for printing
  addEventListener('beforeprint', all);

  let text = null; // which rows are there, and how
  const update = ({ columns: now, rows, order, caption, key }) => {
    if (text !== key) element.scrollTop = 0;
    text = key;
    const focused = document.activeElement?.dataset?.column;
    columns = now;
    seen.disconnect();
    slices = [];
    for (let from = 0; from < rows.length; from += SLICE)
      slices.push({ from, rows: rows.slice(from, from + SLICE), drawn: false, body: h('tbody') });
    const whole = columns.reduce((sum, column) => sum + column.width, 0);
    const widths = columns.map((column) => {
      const col = h('col');
      col.style.width = `${(100 * column.width) / whole}%`; // paper may be narrower than the sum
      return col;
    });
    table.style.minWidth = `${whole}rem`;
    element.classList.toggle('tall', rows.length > TALL);
    table.setAttribute('aria-rowcount', rows.length + 1);
    slices.forEach((slice, i) => (i < 2 ? draw(slice) : clear(slice)));
    table.replaceChildren(h('caption', { class: 'hidden' }, caption), h('colgroup', {}, widths),
      h('thead', {}, h('tr', { 'aria-rowindex': 1 }, columns.map((column) => heading(column, order, onOrder)))),
      ...slices.map((slice) => slice.body));
    for (const slice of slices) {
      bodies.set(slice.body, slice);
      seen.observe(slice.body);
    }
    if (focused) table.querySelector(`[data-column="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  };
  const stop = () => {
    seen.disconnect();
    removeEventListener('beforeprint', all);
  };
  return { element, update, stop };
};
