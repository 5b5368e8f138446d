// Sweeps, newest first.
import { get } from '../api.js';
import { empty, h } from '../dom.js';
import { age, moment, words } from '../format.js';
import { href } from '../state.js';
import { presetInWords, stateInWords } from '../sweep_words.js';

const PAGE = 50;

const asked = ({ base = {}, knobs = {}, cells }) => {
  const { labels = {}, ...fields } = base;
  const parts = [
    ...Object.entries(knobs).map(([name, values]) => `${words(name)} ${values.join(', ')}`),
    ...(cells ? [`${cells.length} listed cells`] : []),
    ...Object.entries(fields).map(([name, value]) => `${words(name)} ${value}`),
    ...Object.entries(labels).map(([key, value]) => `${key}=${value}`),
  ];
  return parts.length ? parts.join('; ') : 'all defaults';
};

const line = (sweep) =>
  h('tr', {}, h('th', { scope: 'row' }, h('a', { href: href({ view: 'sweep', id: sweep.id }) }, presetInWords(sweep.request?.preset ?? 'matrix'))),
    h('td', {}, stateInWords(sweep.state)),
    h('td', {}, h('time', { datetime: sweep.created_at, title: moment(sweep.created_at) }, age(sweep.created_at))),
    h('td', { class: 'asked' }, h('bdi', {}, asked(sweep.request ?? {}))));

export const showList = async (root) => {
  const body = h('tbody', {});
  const trouble = h('p', { class: 'trouble', role: 'alert' });
  let cursor = null;
  const more = h('button', { type: 'button', hidden: true, onclick: () => load() }, 'Older sweeps');
  const load = async () => {
    try {
      const page = await get('/v1/sweeps', { limit: PAGE, cursor });
      cursor = page.next_cursor;
      body.append(...page.sweeps.map(line));
      more.hidden = cursor === null;
      trouble.textContent = '';
    } catch (error) {
      if (!body.children.length) throw error;
      trouble.textContent = error.message;
    }
  };
  await load();
  const ask = h('a', { href: href({ view: 'measure', form: 'sweep' }) }, 'Queue a sweep');
  if (!body.children.length) root.append(empty('There is no sweep yet. ', ask));
  else
    root.append(h('p', {}, ask), h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Sweeps' },
      h('table', { class: 'sweeps' }, h('thead', {}, h('tr', {}, ['Sweep', 'State', 'Queued', 'Asked for'].map((name) => h('th', { scope: 'col' }, name)))), body)), trouble, more);
};
