// Samples per dollar as bars, relative to the reference if there is one.
import { h, s } from '../dom.js';
import { half, number } from '../format.js';
import { across, cut, makeChart } from './frame.js';
import { brief, count, labels, name, rankText, runLink, unit } from '../comparison_words.js';

const d3 = globalThis.d3;
const DRAWN = 12; // bars; the table has all rows
const ROW_PX = 40;
const BAR_PX = 12;
const CHARACTER_PX = 7.2;
const AXIS_PX = 26;

const isReference = (row, reference) => row.id === reference || row.instance_type === reference;

// The rows to draw: the first ones, and always the reference.
const chosen = (rows, take, reference) => {
  const known = rows.filter(take);
  const first = known.slice(0, DRAWN);
  const other = known.slice(DRAWN).find((row) => isReference(row, reference));
  return other ? [...first.slice(0, -1), other] : first;
};

const bar = (row, estimate, text, i, x, width) => {
  const top = i * ROW_PX;
  const middle = top + 20 + BAR_PX / 2;
  const rank = row.rank ? rankText(row) : '–';
  const value = `${number(estimate.value, half(estimate))}`;
  const room = Math.floor((width - value.length * CHARACTER_PX - 60) / CHARACTER_PX);
  return s('g', { class: 'bar', role: 'img', 'aria-label': `${text}: ${brief(row).join('; ')}` },
    s('rect', { class: 'reach', x: -5, y: top - 1, width: width + 10, height: ROW_PX - 3 }),
    s('text', { x: 0, y: top + 13 }, s('tspan', { class: 'rank' }, rank), s('tspan', { dx: 8 }, cut(text, room))),
    s('text', { class: 'value', x: width, y: top + 13, 'text-anchor': 'end' }, value),
    s('rect', { class: `fill ${row.provenance === 'published' ? 'hollow' : 'full'} series-1`, x: x(0) + 0.5, y: middle - BAR_PX / 2,
      width: Math.max(1, x(estimate.value) - x(0)), height: BAR_PX }),
    estimate.low !== null && s('path', { class: 'whisker', d: across(middle, x(Math.max(0, estimate.low)), x(estimate.high)) }));
};

const axis = (x, height, relative) => s('g', { class: 'axes', 'aria-hidden': 'true' },
  x.ticks(4).map((tick) => [
    s('line', { class: relative && tick === 1 ? 'reference' : 'grid', x1: x(tick), x2: x(tick), y1: 0, y2: height }),
    s('text', { x: x(tick), y: height + 17, 'text-anchor': tick === 0 ? 'start' : 'middle' },
      tick >= 1e4 ? d3.format('~s')(tick) : tick.toLocaleString('en'), relative && ' ×')]),
  relative && !x.ticks(4).includes(1) && s('line', { class: 'reference', x1: x(1), x2: x(1), y1: 0, y2: height }));

const words = (relative, reference, shown, rows, known) => {
  const missing = rows.length - known;
  return [h('p', {},
    relative ? ['Per dollar, as a multiple of ', h('bdi', {}, reference), ' (the line at 1). '] : `${unit(rows[0]) === 'jobs' ? 'Jobs' : 'Samples'} per dollar. `,
    'Whiskers are 95 % intervals; an empty bar is a published figure without one. ',
    shown.length < known && `The first ${shown.length} of ${count(known)}. `,
    missing > 0 && `${count(missing)} ${missing === 1 ? 'row has' : 'rows have'} no such number. `,
    'The table below has the same numbers.')];
};

const draw = (canvas, width, { rows, reference }) => {
  const relative = Boolean(reference);
  const take = (row) => (relative ? row.to_reference?.samples_per_dollar : row.samples_per_dollar);
  const shown = chosen(rows, take, reference);
  if (shown.length === 0)
    return { height: 1, description: 'Nothing to draw.', marks: [],
      caption: h('p', { class: 'empty' }, 'No row has a number of samples per dollar, so there is nothing to draw.') };
  const height = shown.length * ROW_PX;
  const most = d3.max(shown, (row) => take(row).high ?? take(row).value);
  const x = d3.scaleLinear().domain([0, Math.max(most, relative ? 1 : 0)]).range([0, width - 14]);
  const names = labels(shown);
  const bars = shown.map((row, i) => bar(row, take(row), names.get(row), i, x, width));
  canvas.append(axis(x, height, relative), s('g', {}, bars));
  const marks = shown.map((row, i) => ({
    element: bars[i], x: width / 2, y: (i + 0.5) * ROW_PX,
    distance: (_x, y) => Math.abs(y - (i + 0.5) * ROW_PX),
    details: () => [h('p', {}, h('strong', {}, runLink(row, name(row, names.get(row))))), h('p', {}, brief(row).join('; '), '.')],
  }));
  return { height: height + AXIS_PX, marks, caption: words(relative, reference, shown, rows, rows.filter(take).length),
    description: `${shown.length} bars, from ${names.get(shown[0])} to ${names.get(shown[shown.length - 1])}. The table below has the same numbers.` };
};

export const makeBars = () => makeChart({ name: 'bars', title: 'Per dollar', draw });
