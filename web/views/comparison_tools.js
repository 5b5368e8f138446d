// Tools of the table: text filter, choice of columns, downloads, link.
import { address, token } from '../api.js';
import { announce, h } from '../dom.js';
import { go } from '../state.js';
import { count as digits } from '../comparison_words.js';
import { PAGE, question } from './comparison_load.js';

const WAIT_MS = 250; // after the last key

const choose = (all, shown, id, on) => {
  const ids = new Set(shown.map((column) => column.id));
  if (on) ids.add(id);
  else ids.delete(id);
  // In the order of definition, not of clicks.
  return all.filter((column) => ids.has(column.id)).map((column) => column.id).join(',');
};

// A plain link cannot send a token. With one, fetch the file and offer it as a blob.
const withToken = async (event) => {
  if (!token()) return;
  event.preventDefault();
  const { href, download } = event.target;
  const answer = await fetch(href, { headers: { Authorization: `Bearer ${token()}` } }).catch(() => null);
  if (!answer?.ok) {
    announce('The file could not be read.');
    return;
  }
  const content = URL.createObjectURL(await answer.blob());
  h('a', { href: content, download }).click();
  setTimeout(() => URL.revokeObjectURL(content), 60000); // the browser may still show its save dialog
};

const FORMATS = [['csv', 'CSV', 'csv'], ['markdown', 'Markdown', 'md']];

// One file per page, because the API limits the rows of an answer.
const downloads = (now, total) => {
  const parts = Math.max(1, Math.ceil(total / PAGE));
  const link = ([format, text, ending], i) =>
    h('a', { download: `comparison${parts > 1 ? `-${i + 1}` : ''}.${ending}`, onclick: withToken,
      href: address('/v1/comparison', { ...question(now), limit: PAGE, offset: i ? i * PAGE : null, format }) },
    parts > 1 ? `${text}, part ${i + 1} of ${parts}` : text);
  const links = FORMATS.map((format) => Array.from({ length: parts }, (_each, i) => link(format, i)));
  if (parts === 1) return links.flat();
  return [h('details', {}, h('summary', {}, 'CSV and Markdown'), links.map((list) => h('ul', {}, list.map((each) => h('li', {}, each)))))];
};

// Without a clipboard (it needs HTTPS or localhost), shows the link for copying by hand.
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
  let filesOf = null; // keeps an opened list open
  const filter = h('input', { type: 'search', id: 'rows-filter', autocomplete: 'off', spellcheck: 'false', oninput: () => {
    clearTimeout(timer);
    timer = setTimeout(() => go({ filter: filter.value || null }, { replace: true }), WAIT_MS);
  } });
  const boxes = new Map(all.map((column) => [column.id, h('input', { type: 'checkbox', onchange: (event) =>
    go({ columns: choose(all, shown, column.id, event.target.checked) || null }, { replace: true }) })]));
  const usual = h('button', { type: 'button', onclick: () => go({ columns: null }, { replace: true }) }, 'Default columns');
  const count = h('p', { class: 'count', role: 'status' });
  const files = h('div', { class: 'files' });
  const copied = h('span', { class: 'copied' });
  const element = h('div', { class: 'tools' },
    h('div', { class: 'field' }, h('label', { for: 'rows-filter' }, 'Filter rows by text'), filter), count,
    h('details', { class: 'columns' }, h('summary', {}, 'Columns'),
      h('fieldset', {}, h('legend', { class: 'hidden' }, 'Columns that are shown'),
        all.map((column) => h('label', {}, boxes.get(column.id), ' ', column.title)), usual)),
    h('div', { class: 'take' }, files, ' ', h('button', { type: 'button', onclick: () => copy(copied) }, 'Copy link'), copied));

  const update = ({ now, columns, count: rows, of, done, loaded }) => {
    shown = columns;
    for (const column of all) boxes.get(column.id).checked = columns.includes(column);
    usual.disabled = !now.columns;
    if (document.activeElement !== filter) filter.value = now.filter ?? '';
    count.textContent = !done ? `Loading: ${digits(loaded)} of ${digits(of)} rows …`
      : now.filter ? `${digits(rows)} of ${digits(loaded)} rows` : `${digits(loaded)} ${loaded === 1 ? 'row' : 'rows'}`;
    const key = JSON.stringify([question(now), of]);
    if (filesOf !== key) files.replaceChildren(...downloads(now, of).flatMap((each) => [each, ' ']));
    filesOf = key;
    copied.replaceChildren();
  };
  return { element, update, stop: () => clearTimeout(timer) };
};
