// Charts of a sweep. Colours and fonts are classes of style/sweep.css; whiskers are 95 % intervals.
/* global d3 */
import { h, s } from '../dom.js';
import { number } from '../format.js';
import { logTicks } from './frame.js';

const ROW = 46;
const EDGE = { left: 14, right: 26, top: 8, bottom: 44 };
const NARROW = 480;
let made = 0;

const cut = (text, room) => (text.length > room ? `${text.slice(0, Math.max(1, room - 1))}…` : text);

// draw(svg, width) fills the SVG and returns its height; it runs again when the width changes.
const figure = ({ title, description, caption }, draw) => {
  const id = `chart-${made++}`;
  const svg = s('svg', { role: 'img', 'aria-labelledby': `${id}-title ${id}-description` });
  const paint = (width) => {
    svg.replaceChildren(s('title', { id: `${id}-title` }, title), s('desc', { id: `${id}-description` }, description));
    svg.setAttribute('viewBox', `0 0 ${width} ${draw(d3.select(svg), width)}`);
  };
  const element = h('figure', { class: 'sweep-chart' }, h('figcaption', {}, h('strong', {}, title), ' ', caption), svg);
  let before = 0;
  const watch = new ResizeObserver(([entry]) => {
    const width = Math.max(280, Math.round(entry.contentRect.width));
    if (width !== before) paint(width);
    before = width;
  });
  watch.observe(element);
  return { element, stop: () => watch.disconnect() };
};

const axisX = (svg, scale, { label, top, bottom, width, format, marks }) => {
  const axis = d3.axisBottom(scale).ticks(Math.max(3, Math.min(8, width / 90))).tickSize(top - bottom).tickPadding(6);
  if (marks) axis.tickValues(marks).tickFormat((value) => number(value));
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${bottom})`).call(format ? axis.tickFormat(format) : axis);
  svg.append('text').attr('class', 'axis-name').attr('x', (EDGE.left + width - EDGE.right) / 2).attr('y', bottom + 36).attr('text-anchor', 'middle').text(label);
};

const SHAPES = { dot: d3.symbolCircle, best: d3.symbolDiamond };

const whisker = (svg, { low, high }, x, y) => {
  if (low === null || low === undefined) return;
  svg.append('path').attr('class', 'whisker').attr('d', `M${x(low)},${y - 5}v10M${x(high)},${y - 5}v10M${x(low)},${y}H${x(high)}`);
};

const extentOf = (rows, more) => d3.extent([...rows.flatMap((row) => [row.value, row.low ?? row.value, row.high ?? row.value]), ...more]);

// One row for each of { name, value, low, high, note, isBest }: a dot with whiskers, its name above it.
// `steps`: joins rows as stairs. `reference`: a line at this value. `zero`: the axis begins at 0. `log`: it is logarithmic.
export const rowChart = ({ rows, label, reference = null, steps = false, zero = false, log = false, format = null, ...texts }) =>
  figure(texts, (svg, width) => {
    const bottom = EDGE.top + rows.length * ROW;
    const [low, high] = extentOf(rows, [...(reference === null ? [] : [reference]), ...(zero ? [0] : [])]);
    const room = (high - low || Math.abs(high) || 1) * 0.04;
    const span = [EDGE.left, width - EDGE.right];
    const x = log ? d3.scaleLog([Math.max(low, d3.min(rows, (row) => row.value) / 10) / 1.35, high * 1.35], span).clamp(true)
      : d3.scaleLinear([zero ? 0 : Math.max(0, low - room), high + room], span);
    const y = (index) => EDGE.top + index * ROW + 32;
    axisX(svg, x, { label, top: EDGE.top, bottom, width, format, marks: log && logTicks(x.domain(), width / 90) });
    if (reference !== null)
      svg.append('path').attr('class', 'reference').attr('d', `M${x(reference)},${EDGE.top}V${bottom}`);
    if (steps)
      svg.append('path').attr('class', 'stairs').attr('d', rows.map((row, index) => (index ? `V${y(index)}H${x(row.value)}` : `M${x(row.value)},${y(0)}`)).join(''));
    rows.forEach((row, index) => {
      const letters = Math.floor((width - 40) / 8);
      const note = (width < NARROW ? row.short : null) ?? row.note ?? '';
      svg.append('text').attr('class', 'row-name').attr('x', EDGE.left).attr('y', y(index) - 14).text(cut(row.name, letters - note.length - 2));
      svg.append('text').attr('class', 'row-note').attr('x', width - EDGE.right).attr('y', y(index) - 14).attr('text-anchor', 'end').text(note);
      whisker(svg, row, x, y(index));
      svg.append('path').attr('class', row.isBest ? 'mark best' : 'mark').attr('d', d3.symbol().type(row.isBest ? SHAPES.best : SHAPES.dot).size(row.isBest ? 110 : 70)())
        .attr('transform', `translate(${x(row.value)},${y(index)})`)
        .append('title').text(`${row.name}: ${number(row.value)}`);
    });
    return bottom + EDGE.bottom;
  });

const HEIGHT = 300;
const LEFT = 64;

const axisY = (svg, scale, width, label) => {
  svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},0)`)
    .call(d3.axisLeft(scale).ticks(5).tickSize(LEFT + EDGE.right - width).tickPadding(6).tickFormat((value) => number(value)));
  svg.append('text').attr('class', 'axis-name').attr('x', LEFT).attr('y', 14).text(label);
};

// Points { x, value, low, high, name } over a number. `ideal`(x): a dashed line for comparison.
// `best`: stairs of the highest value so far; without it, lines join the points.
export const lineChart = ({ points, labelX, labelY, ideal = null, best = false, ...texts }) =>
  figure(texts, (svg, width) => {
    const bottom = HEIGHT - EDGE.bottom;
    const xs = d3.extent(points, (point) => point.x);
    const x = d3.scaleLinear(xs[0] === xs[1] ? [xs[0] - 1, xs[1] + 1] : xs, [LEFT + 12, width - EDGE.right]);
    const top = d3.max([...points.flatMap((point) => [point.value, point.high ?? 0]), ...(ideal ? [ideal(xs[1])] : [])]);
    const y = d3.scaleLinear([0, top * 1.05], [bottom, 26]);
    axisX(svg, x, { label: labelX, top: bottom, bottom, width, format: (value) => (Number.isInteger(value) ? number(value, 10) : '') });
    axisY(svg, y, width, labelY);
    if (ideal)
      svg.append('path').attr('class', 'reference').attr('d', `M${x(xs[0])},${y(ideal(xs[0]))}L${x(xs[1])},${y(ideal(xs[1]))}`);
    let highest = 0;
    const line = points.map((point) => ({ x: point.x, value: best ? (highest = Math.max(highest, point.value)) : point.value }));
    const path = d3.line().x((point) => x(point.x)).y((point) => y(point.value)).curve(best ? d3.curveStepAfter : d3.curveLinear);
    svg.append('path').attr('class', 'stairs').attr('d', path(line));
    for (const point of points) {
      if (point.low !== null && point.low !== undefined)
        svg.append('path').attr('class', 'whisker').attr('d', `M${x(point.x) - 5},${y(point.low)}h10M${x(point.x) - 5},${y(point.high)}h10M${x(point.x)},${y(point.low)}V${y(point.high)}`);
      svg.append('circle').attr('class', best ? 'mark small' : 'mark').attr('cx', x(point.x)).attr('cy', y(point.value)).attr('r', best ? 3.5 : 5)
        .append('title').text(`${point.name}: ${number(point.value)}`);
    }
    return HEIGHT;
  });
