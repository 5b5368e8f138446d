// Beside the table: looking for a text, choosing columns, taking the answer along.
import { address } from './api.js';
import { announce, h } from './dom.js';
import { go, state } from './state.js';
import { count as digits } from './comparison_words.js';
import { PAGE, question } from './comparison_load.js';

const WAIT_MS = 250; // after the last key

const choose = (all, shown, id, on) => {
  const ids = new Set(shown.map((column) => column.id));
  if (on) ids.add(id);
  else ids.delete(id);
  // In the order in which they are defined, whatever was clicked first.
  return all.filter((column) => ids.has(column.id)).map((column) => column.id).join(',');
};

// The API gives so many rows at once and no more: then there are several files.
const downloads = (now, total) => {
  const parts = Math.max(1, Math.ceil(total / PAGE));
  const link = (format, text, i) =>
    h('a', { download: `comparison${parts > 1 ? `-${i + 1}` : ''}.${format === 'csv' ? 'csv' : 'md'}`,
      href: address('/v1/comparison', { ...question(now), limit: PAGE, offset: i ? i * PAGE : null, format }) },
    parts > 1 ? `${text} ${i + 1}/${parts}` : text);
  return ['csv', 'markdown'].flatMap((format) =>
    Array.from({ length: parts }, (_each, i) => link(format, format === 'csv' ? 'CSV' : 'Markdown', i)));
};

// Without the clipboard (a page that is not from this machine or not encrypted has none) the link
// is shown to be copied by hand.
const copy = async (place) => {
  try {
    await navigator.clipboard.writeText(location.href);
    place.replaceChildren('Copied.');
    announce('The link was copied.');
  } catch {
    const field = h('input', { type: 'text', readonly: true, value: location.href, 'aria-label': 'Link to this page' });
    place.replaceChildren(field);
    field.select();
  }
};

export const makeTools = (all) => {
  let timer = null;
  let shown = [];
  const filter = h('input', { type: 'search', id: 'rows-filter', autocomplete: 'off', spellcheck: 'false', oninput: () => {
    clearTimeout(timer);
    timer = setTimeout(() => go({ filter: filter.value || null }, { replace: true }), WAIT_MS);
  } });
  const boxes = new Map(all.map((column) => [column.id, h('input', { type: 'checkbox', onchange: (event) =>
    go({ columns: choose(all, shown, column.id, event.target.checked) || null }, { replace: true }) })]));
  const usual = h('button', { type: 'button', onclick: () => go({ columns: null }, { replace: true }) }, 'The usual ones');
  const count = h('p', { class: 'count', role: 'status' });
  const files = h('span', { class: 'files' });
  const copied = h('span', { class: 'copied' });
  const element = h('div', { class: 'tools' },
    h('div', { class: 'field' }, h('label', { for: 'rows-filter' }, 'Rows with the text'), filter), count,
    h('details', { class: 'columns' }, h('summary', {}, 'Columns'),
      h('fieldset', {}, h('legend', { class: 'hidden' }, 'Columns that are shown'),
        all.map((column) => h('label', {}, boxes.get(column.id), ' ', column.title)), usual)),
    h('p', { class: 'take' }, files, ' ', h('button', { type: 'button', onclick: () => copy(copied) }, 'Copy link'), copied));

  const update = ({ now, columns, count: rows, of, done, loaded }) => {
    shown = columns;
    for (const column of all) boxes.get(column.id).checked = columns.includes(column);
    usual.disabled = !now.columns;
    if (document.activeElement !== filter) filter.value = now.filter ?? '';
    count.textContent = !done ? `Loading: ${digits(loaded)} of ${digits(of)} rows …`
      : now.filter ? `${digits(rows)} of ${digits(loaded)} rows` : `${digits(loaded)} ${loaded === 1 ? 'row' : 'rows'}`;
    files.replaceChildren(...downloads(state(), of).flatMap((each) => [each, ' ']));
    copied.replaceChildren();
  };
  return { element, update, stop: () => clearTimeout(timer) };
};
