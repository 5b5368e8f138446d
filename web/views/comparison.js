// The start view: which machine gives the most training per dollar.
import { announce, h, loading, problem } from '../dom.js';
import { go, href, state as addressState } from '../state.js';
import { makeBars } from '../charts/bars.js';
import { makeScatter } from '../charts/scatter.js';
import { COLUMNS, haystack, usual } from './comparison_columns.js';
import { makeControls } from './comparison_controls.js';
import { FILTERS, choices, load, question } from './comparison_load.js';
import { makeRest } from './comparison_rest.js';
import { makeMeasureHere } from './measure_here.js';
import { capital, count, evidence, sentence } from '../comparison_words.js';
import { makeSpot } from './comparison_spot.js';
import { makeTools } from './comparison_tools.js';
import { makeTable, readOrder, sorted } from '../table.js';

export const title = 'Compare';

const OLD_MS = 60000;
const OFFERED = 1000; // names offered in the list of a field

let view = null; // the parts on screen; null while another view is shown

export const change = (now) => view?.change(now);

const byId = new Map(COLUMNS.map((column) => [column.id, column]));

// Ignores unknown columns: a link may come from another version.
const columnsOf = (now) => {
  const chosen = now.columns ? [now.columns].flat().join(',').split(',') : usual(now);
  const known = chosen.map((id) => byId.get(id)).filter(Boolean);
  return known.length ? known : usual(now).map((id) => byId.get(id));
};

const answerOf = ({ answer, rows, asked }) => [
  h('p', { class: 'sentence' }, sentence(answer, rows, FILTERS.some((name) => name in asked))),
  ...answer.unmatched.map(({ parameter, value, words }) =>
    h('p', { class: 'decision' }, h('code', {}, `${parameter}=${value}`), ' matches nothing: ', h('bdi', {}, words), '.')),
  answer.decision && h('p', { class: 'decision' }, h('bdi', {}, capital(answer.decision.words)), '.'),
  h('p', { class: 'evidence' }, evidence(answer, rows).flatMap((each) => [each, ' '])),
].filter(Boolean);

const skeleton = (onChanged) => {
  const parts = {
    controls: makeControls(), answer: h('div', { class: 'answer' }), spot: makeSpot(), trouble: h('div', {}),
    scatter: makeScatter(), bars: makeBars(), tools: makeTools(COLUMNS), rest: makeRest(onChanged), here: makeMeasureHere(onChanged),
    words: h('p', { class: 'small' }), none: h('p', { class: 'empty' }),
    table: makeTable({ label: 'The comparison as a table', onOrder: (order) => go({ order }, { replace: true }) }),
  };
  parts.content = h('div', { class: 'content' },
    h('div', { class: 'charts' }, parts.scatter.figure, parts.bars.figure),
    h('section', { class: 'all', 'aria-labelledby': 'rows-title' }, h('h2', { id: 'rows-title' }, 'All rows'),
      parts.tools.element, parts.words, parts.none, parts.table.element),
    parts.rest.element);
  parts.content.hidden = true;
  return parts;
};

const drawTable = (parts, seen, now) => {
  const { answer } = seen;
  for (const row of seen.rows) row.ranked = answer.ranked; // how long the bar of its ranks is
  const columns = columnsOf(now);
  const wanted = (now.filter ?? '').toLowerCase().trim();
  const hay = (row) => {
    if (!seen.hay.has(row)) seen.hay.set(row, haystack(row));
    return seen.hay.get(row);
  };
  const rows = wanted ? seen.rows.filter((row) => hay(row).includes(wanted)) : seen.rows;
  const order = readOrder(now.order);
  parts.tools.update({ now, columns, count: rows.length, of: seen.total, done: seen.done, loaded: seen.rows.length });
  parts.table.update({ columns, rows: sorted(rows, COLUMNS, order), order,
    key: JSON.stringify([seen.asked, wanted, order]), caption: `Comparison of ${answer.question.workload}` });
  parts.none.hidden = rows.length > 0;
  parts.none.replaceChildren('No row has the text ', h('bdi', {}, now.filter ?? ''), '. ',
    h('a', { href: href({ filter: null }) }, 'Show all rows'));
  parts.table.element.hidden = rows.length === 0;
  parts.words.replaceChildren(h('bdi', {}, answer.question.workload), `: ${answer.words}.`);
};

// Draws an answer; its first page has everything but the remaining rows.
const drawAnswer = (parts, seen, isFirst) => {
  const { answer, rows, done } = seen;
  parts.content.hidden = false;
  parts.content.classList.remove('old', 'asking');
  parts.trouble.replaceChildren();
  parts.answer.replaceChildren(...answerOf(seen));
  for (const part of parts.content.querySelectorAll('.charts, .all')) part.hidden = rows.length === 0;
  if (isFirst || done) {
    parts.scatter.update({ rows });
    parts.bars.update({ rows, reference: answer.question.reference });
  }
  const hasForm = done ? parts.here.update(answer, rows, seen.asked) : !parts.here.element.hidden;
  parts.rest.update(answer, rows, hasForm);
  drawTable(parts, seen, addressState());
  parts.controls.hint('region', answer.question.regions.join(','));
  parts.controls.offer('instances', [...new Set([...rows.map((row) => row.instance_type),
    ...answer.unmeasured.instances.map((each) => each.instance_type)])].filter(Boolean).slice(0, OFFERED));
  parts.controls.offer('senders', ['local', ...new Set(rows.flatMap((row) => row.senders.map((each) => each.sender)).filter(Boolean))]
    .slice(0, OFFERED));
  if (done) announce(`${count(rows.length)} rows, ${count(answer.ranked)} of them ranked.`);
};

const drawFailure = (parts, seen, error, again) => {
  parts.content.classList.remove('asking');
  const field = parts.controls.showError(error);
  parts.answer.querySelector('.loading')?.remove();
  const shownError = field ? { message: `This cannot be answered: see the field “${field}”.` } : error;
  parts.trouble.replaceChildren(problem(shownError, field ? null : again),
    seen.answer ? h('p', { class: 'note' }, 'The rows still show the previous question.') : '');
};

const make = (root) => {
  const parts = skeleton(() => ask(addressState()));
  const seen = { asked: null, answer: null, rows: [], total: 0, done: false, hay: new Map() };
  let abort = null;
  let askedAt = 0;
  root.append(parts.here.element, h('section', { 'aria-label': 'The answer', class: 'top' }, parts.answer, parts.spot.element, parts.trouble),
    parts.controls.element, parts.content);

  const ask = async (now) => {
    abort?.abort();
    abort = new AbortController();
    askedAt = Date.now();
    const { signal } = abort;
    const asked = question(now);
    seen.asked = asked;
    parts.controls.showError(null);
    if (!seen.answer) parts.answer.replaceChildren(loading('the comparison'));
    if (seen.answer) parts.content.classList.add('old', 'asking');
    const onPage = (page) => {
      const isFirst = seen.answer !== page.answer;
      if (isFirst) seen.hay.clear();
      drawAnswer(parts, Object.assign(seen, page), isFirst);
    };
    try {
      parts.spot.update(asked, signal);
      await load(asked, { signal, onPage });
    } catch (error) {
      if (error.name !== 'AbortError') drawFailure(parts, seen, error, () => ask(now));
    }
  };
  const changeTo = (now) => {
    parts.controls.update(now);
    if (JSON.stringify(question(now)) !== JSON.stringify(seen.asked)) ask(now);
    else if (seen.answer) drawTable(parts, seen, now);
  };
  // Reload when the user returns to the page after a while.
  const back = () => {
    if (document.visibilityState === 'visible' && Date.now() - askedAt > OLD_MS) ask(addressState());
  };
  document.addEventListener('visibilitychange', back);
  const stop = () => {
    document.removeEventListener('visibilitychange', back);
    abort?.abort();
    for (const part of [parts.here, parts.controls, parts.table, parts.scatter, parts.bars, parts.tools]) part.stop?.();
  };
  return { change: changeTo, stop, parts };
};

export const show = async (root, now) => {
  const mine = make(root);
  view = mine;
  const lists = new AbortController();
  mine.change(now);
  choices(lists.signal).then(({ workloads, regions, figures }) => {
    mine.parts.controls.offer('workloads', workloads);
    mine.parts.rest.offer(workloads, figures);
    mine.parts.controls.offer('regions', regions);
  });
  return () => {
    lists.abort();
    mine.stop();
    if (view === mine) view = null;
  };
};

