// Hourly price against throughput: rows further up and left give more per dollar.
import { h, s } from '../dom.js';
import { dollars } from '../format.js';
import { across, cut, logTicks, makeChart, upright } from './frame.js';
import { brief, count, labels, name, runLink, unit } from '../comparison_words.js';

const d3 = globalThis.d3;
const EDGE = { top: 14, right: 18, bottom: 46, left: 64 };
const DRAWN = 600; // marks at most; the table has all rows
const LABELS = 24;
const LABEL_CHARACTERS = 24;
const CHARACTER_PX = 6.7; // approximate, for placing labels
const LINE_PX = 14;
const CORNER = { x0: EDGE.left, x1: EDGE.left + 130, y0: 0, y1: EDGE.top + 14 }; // holds the axis title
const SHAPES = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolWye];

const can = (row) => row.price && row.throughput;

// A logarithmic scale for values far apart, else a linear one from 0.
const scale = (values, range, most) => {
  const [low, high] = d3.extent(values);
  if (high / low >= 3) {
    const axis = d3.scaleLog().domain([low / 1.35, high * 1.35]).range(range);
    axis.marks = logTicks(axis.domain(), most);
    if (axis.marks.length >= 2) return axis;
  }
  const axis = d3.scaleLinear().domain([0, high * 1.15]).range(range);
  axis.marks = axis.ticks(most).filter((tick) => tick > 0);
  return axis;
};

const axes = (x, y, width, height, what) => {
  const [bottom, left] = [height - EDGE.bottom, EDGE.left];
  return s('g', { class: 'axes', 'aria-hidden': 'true' },
    x.marks.map((tick) => [
      s('line', { class: 'grid', x1: x(tick), x2: x(tick), y1: EDGE.top, y2: bottom }),
      s('text', { x: x(tick), y: bottom + 18, 'text-anchor': 'middle' }, `$${tick.toLocaleString('en', { maximumSignificantDigits: 3 })}`)]),
    y.marks.map((tick) => [
      s('line', { class: 'grid', x1: left, x2: width - EDGE.right, y1: y(tick), y2: y(tick) }),
      s('text', { x: left - 8, y: y(tick), dy: '0.32em', 'text-anchor': 'end' }, tick.toLocaleString('en', { maximumSignificantDigits: 3 }))]),
    s('line', { class: 'axis', x1: left, x2: width - EDGE.right, y1: bottom, y2: bottom }),
    s('line', { class: 'axis', x1: left, x2: left, y1: EDGE.top, y2: bottom }),
    s('text', { class: 'axis-name', x: left + 8, y: EDGE.top + 10 }, '↖ more per dollar'),
    s('text', { class: 'axis-name', x: width - EDGE.right, y: height - 8, 'text-anchor': 'end' }, 'dollars an hour →'),
    s('text', { class: 'axis-name', transform: `translate(13 ${EDGE.top}) rotate(-90)`, 'text-anchor': 'end' }, `${what} a second →`));
};

// On a logarithmic axis, draws an interval that reaches 0 down to the edge.
const whiskers = (row, x, y, bottom) => {
  const [px, py] = [x(row.price.price_per_hour), y(row.throughput.value)];
  const { low, high } = row.throughput;
  return [
    low !== null && s('path', { class: 'whisker', d: upright(px, low > 0 ? y(low) : bottom, y(high)) }),
    row.price.low !== null && row.price.low < row.price.high &&
      s('path', { class: 'whisker', d: across(py, x(row.price.low), x(row.price.high)) }),
  ];
};

const overlap = (a, b) => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;

// Puts a label at the first free place around its mark, or omits it.
const place = (marks, line, names, width, height) => {
  const around = (x, y) => ({ x0: x - 7, x1: x + 7, y0: y - 7, y1: y + 7 });
  const taken = [CORNER, ...marks.map(({ x, y }) => around(x, y))];
  for (let at = 0; line && at < line.getTotalLength(); at += 10) {
    const { x, y } = line.getPointAtLength(at);
    taken.push(around(x, y));
  }
  const labels = [];
  const important = [...marks].sort((a, b) => b.row.pareto - a.row.pareto);
  for (const { x, y, row } of important.slice(0, LABELS)) {
    const text = cut(names.get(row), LABEL_CHARACTERS);
    const wide = text.length * CHARACTER_PX;
    const spots = [[x + 10, y], [x - 10 - wide, y], [x - wide / 2, y - 17], [x - wide / 2, y + 17], [x + 8, y - 13],
      [x + 8, y + 13], [x - 8 - wide, y - 13], [x - 8 - wide, y + 13]];
    for (const [left, middle] of spots) {
      const box = { x0: left, x1: left + wide, y0: middle - LINE_PX / 2, y1: middle + LINE_PX / 2 };
      const inside = box.x0 > EDGE.left && box.x1 < width && box.y0 > 0 && box.y1 < height - EDGE.bottom;
      if (!inside || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      labels.push(s('text', { class: 'label', x: left, y: middle, dy: '0.32em' }, text));
      break;
    }
  }
  return labels;
};

const details = (row, names) => () =>
  [h('p', {}, h('strong', {}, runLink(row, name(row, names.get(row))))), h('p', {}, brief(row).join('; '), '.')];

// The line joins measured rows; published figures have a front of their own, without a line.
const onFront = (row) => row.pareto && row.provenance !== 'published';

const front = (rows, x, y) => {
  const on = rows.filter(onFront).sort((a, b) => a.throughput.value - b.throughput.value);
  const path = d3.line().x((row) => x(row.price.price_per_hour)).y((row) => y(row.throughput.value));
  return on.length > 1 && s('path', { class: 'front', d: path(on) });
};

const symbol = (i, size) => d3.symbol().type(SHAPES[i % SHAPES.length]).size(size)();
const kind = (row) => (row.provenance === 'published' ? 'hollow' : 'full');

const legend = (rows, providers) => {
  const sign = (content, text) => h('li', {}, s('svg', { width: 22, height: 14, 'aria-hidden': 'true' }, content), text);
  const dot = (i, classes) => s('path', { class: classes, d: symbol(i, 70), transform: 'translate(11 7)' });
  return h('ul', { class: 'legend' },
    providers.length > 1 && providers.map((provider, i) => sign(dot(i, `mark full series-${i % SHAPES.length + 1}`), provider)),
    rows.some((row) => row.provenance === 'published') && sign(dot(0, 'mark hollow series-1'), 'published by others'),
    rows.filter(onFront).length > 1 &&
      sign(s('path', { class: 'front', d: 'M0 7H22' }), 'Pareto front: no other measured row is better in both hours and dollars'));
};

const caption = (drawn, rows, providers) => {
  const missing = rows.filter((row) => !can(row)).length;
  const left = rows.length - missing - drawn.length;
  return [legend(drawn, providers),
    h('p', {}, 'Whiskers are 95 % intervals. ',
      missing > 0 && `${count(missing)} ${missing === 1 ? 'row has' : 'rows have'} no price or no throughput and cannot be drawn. `,
      left > 0 && `The first ${count(drawn.length)} are drawn. `, 'The table below has the same numbers.')];
};

const draw = (canvas, width, { rows }) => {
  const drawn = rows.filter(can).slice(0, DRAWN);
  if (drawn.length === 0)
    return { height: 1, description: 'Nothing to draw.', marks: [],
      caption: h('p', { class: 'empty' }, 'No row has both a price and a throughput, so there is nothing to draw.') };
  const height = Math.max(300, Math.min(440, Math.round(width * 0.68)));
  const x = scale(drawn.flatMap(({ price: { price_per_hour: value, low, high } }) => [value, low ?? value, high ?? value]),
    [EDGE.left, width - EDGE.right], Math.floor(width / 70));
  const y = scale(drawn.flatMap(({ throughput: each }) => [each.value, each.low > 0 ? each.low : each.value, each.high ?? each.value]),
    [height - EDGE.bottom, EDGE.top], 7);
  const names = labels(drawn);
  const line = front(drawn, x, y) || null;
  const providers = [...new Set(drawn.map((row) => row.provider ?? 'unknown provider'))].sort();
  const marks = drawn.map((row) => {
    const i = providers.indexOf(row.provider ?? 'unknown provider');
    const [px, py] = [x(row.price.price_per_hour), y(row.throughput.value)];
    const element = s('path', { class: `mark ${kind(row)} series-${i % SHAPES.length + 1}`, d: symbol(i, row.may_be_best ? 130 : 80),
      transform: `translate(${px} ${py})`, role: 'img', 'aria-label': `${names.get(row)}: ${brief(row).join('; ')}` });
    return { element, x: px, y: py, row, details: details(row, names) };
  });
  canvas.append(axes(x, y, width, height, unit(drawn[0])),
    s('g', { 'aria-hidden': 'true' }, line, drawn.map((row) => whiskers(row, x, y, height - EDGE.bottom).filter(Boolean))),
    // Keyboard order is also drawing order, back to front.
    s('g', {}, marks.map((mark) => mark.element)),
    s('g', { class: 'labels', 'aria-hidden': 'true' }, place(marks, line, names, width, height)));
  const pareto = drawn.filter(onFront).map((row) => names.get(row)).slice(0, 8);
  return { height, marks, caption: caption(drawn, rows, providers),
    description: `${drawn.length} rows by dollars an hour, from ${dollars(d3.min(drawn, (row) => row.price.price_per_hour))} to ` +
      `${dollars(d3.max(drawn, (row) => row.price.price_per_hour))}, and ${unit(drawn[0])} a second. ` +
      `On the Pareto front: ${pareto.join(', ') || 'none'}. The table below has the same numbers.` };
};

export const makeScatter = () => makeChart({ name: 'scatter', title: 'Price and speed', draw });
