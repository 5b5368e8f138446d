// The check of one run against earlier ones.
import { get } from '../api.js';
import { h, loading, problem } from '../dom.js';
import { dollars, number, percent, words } from '../format.js';
import { facts, foreign, validity } from '../parts.js';
import { go, href } from '../state.js';

const VERDICTS = { pass: 'ok', fail: 'invalid', cannot_tell: 'unknown' };
const FIELDS = ['baseline', 'margin', 'window'];

const ratioWords = (ratio) => {
  if (!ratio) return null;
  const width = ratio.low === null ? 0 : (ratio.high - ratio.low) / 2;
  const text = number(ratio.value, width);
  return ratio.low === null ? `${text}, no interval` : `${text} (${number(ratio.low, width)} to ${number(ratio.high, width)}), from ${ratio.level}`;
};

const runLinks = (ids) =>
  ids.length === 0 ? 'none'
    : [ids.slice(0, 5).map((id, i) => [i ? ', ' : '', h('a', { href: href({ view: 'run', id }) }, `…${id.slice(-6)}`)]),
      ids.length > 5 && ` and ${ids.length - 5} more`];

const side = ({ runs, value, n }) =>
  h('span', {}, value === null ? 'unknown: no valid run' : `${number(value)} samples/s`, `, ${n} ${n === 1 ? 'run' : 'runs'}: `, runLinks(runs));

const answered = (check) => {
  const level = VERDICTS[check.verdict];
  return h('div', {},
    h('p', { class: 'verdict' }, validity(level, check.words)),
    facts([
      ['Ratio to the baseline (95 %)', ratioWords(check.ratio) ?? 'unknown: nothing to compare'],
      ['Allowed slowdown', percent(check.margin_percent / 100)],
      ['Smallest slowdown that would be detected', check.smallest_detectable_percent === null ? 'none would be detected' : percent(check.smallest_detectable_percent / 100)],
      ['This run and its repeats', side(check.candidate)],
      [`Baseline: ${check.baseline.words}`, side(check.baseline)],
      ['Price', check.price.candidate_per_hour === null ? check.price.words : `${dollars(check.price.candidate_per_hour)} an hour: ${check.price.words}`],
      check.differs.length > 0 && ['What differs', foreign(check.differs.map(words).join(', '))],
      check.confirmation && ['Measured again', foreign(check.confirmation.words)],
    ]));
};

const field = (name, label, attributes, meaning) =>
  h('div', { class: 'field' }, h('label', { for: `check-${name}` }, label),
    h('input', { id: `check-${name}`, name, autocomplete: 'off', 'aria-describedby': `check-${name}-meaning check-${name}-problem`, ...attributes }),
    h('p', { id: `check-${name}-meaning`, class: 'hint' }, meaning),
    h('p', { id: `check-${name}-problem`, class: 'wrong', role: 'alert' }));

// { element, ask }: ask(state) runs the check that the address names.
export const checkPart = (id) => {
  const answer = h('div', { 'aria-live': 'polite' });
  const submit = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    go(Object.fromEntries(FIELDS.map((name) => [name, (given.get(name) ?? '').trim()])));
  };
  const form = h('form', { class: 'filters', onsubmit: submit, novalidate: true },
    field('baseline', 'Baseline', { placeholder: 'last:20', spellcheck: 'false' }, 'A run’s id, KEY=VALUE of a label, or last:N'),
    field('margin', 'Margin, %', { placeholder: '3', inputmode: 'decimal' }, 'Allowed slowdown'),
    field('window', 'Window', { placeholder: '20', inputmode: 'numeric' }, 'How many of the newest runs with the label'),
    h('button', {}, 'Compare'));
  let asked = null;
  const ask = async (now) => {
    asked?.abort();
    asked = new AbortController();
    for (const name of FIELDS) {
      const input = form.querySelector(`#check-${name}`);
      input.value = now[name] ?? '';
      input.removeAttribute('aria-invalid');
      form.querySelector(`#check-${name}-problem`).textContent = '';
    }
    answer.replaceChildren(loading('the comparison'));
    const question = Object.fromEntries(FIELDS.map((name) => [name, now[name]]));
    try {
      answer.replaceChildren(answered(await get(`/v1/runs/${id}/check`, question, { signal: asked.signal })));
    } catch (error) {
      if (error.name === 'AbortError') return;
      const at = FIELDS.includes(error.field) && form.querySelector(`#check-${error.field}`);
      answer.replaceChildren(at ? '' : problem(error, error.status ? null : () => ask(now)));
      if (!at) return;
      at.setAttribute('aria-invalid', 'true');
      form.querySelector(`#check-${error.field}-problem`).textContent = error.message;
    }
  };
  return { element: h('div', {}, form, answer), ask };
};
