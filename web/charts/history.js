// Charts of runs over time: throughput, and samples per dollar where known.
import { h, s } from '../dom.js';
import { dollars, interval, moment } from '../format.js';
import { foreign, whole } from '../parts.js';
import { axes, frame, plot, reader } from './plot.js';
import { href } from '../state.js';

const HEIGHT = 320;
const SERIES = 6; // number of colours; shapes keep lines distinct beyond that

// Shapes cycle after the colours, so the first 30 lines all differ.
const shapeOf = (i) => {
  const { symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross } = window.d3;
  return [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross][i % 5];
};
const markOf = (i, size) => window.d3.symbol().type(shapeOf(i)).size(size)();
const seriesOf = (i) => `tone-${(i % SERIES) + 1}`;

const extent = (points, value) => {
  const all = points.flatMap((point) => [value(point).value, value(point).low, value(point).high].filter((each) => each !== null && each !== undefined));
  const [low, high] = window.d3.extent(all);
  const space = (high - low) / 12 || high / 20;
  return [Math.max(0, low - space), high + space];
};

const drawWhiskers = (inner, points, x, y, value, name) => {
  for (const point of points) {
    const { low, high } = value(point);
    if (low === null || low === undefined) continue;
    inner.append('line').attr('class', `whisker ${name}`).attr('x1', x(point.time)).attr('x2', x(point.time)).attr('y1', y(low)).attr('y2', y(high));
  }
};

const drawPoints = (inner, { points, i }, x, y, value, show) => {
  const d = markOf(i, 46);
  for (const point of points) {
    const link = s('a', { href: href({ view: 'run', id: point.run.id }), tabindex: -1, 'aria-hidden': 'true' },
      s('path', { class: `point ${seriesOf(i)} ${point.isValid ? '' : 'hollow'}`, d, transform: `translate(${x(point.time)},${y(value(point).value)})` }));
    link.addEventListener('mouseenter', () => show(point));
    inner.node().append(link);
  }
};

// Marks changes of engine version or price, which explain jumps of a line.
const drawChanges = (inner, changes, x, down) => {
  let lastAt = -Infinity;
  for (const { time, from, to } of changes.sort((one, other) => one.time - other.time)) {
    const at = x(time);
    inner.append('line').attr('class', 'changed').attr('x1', at).attr('x2', at).attr('y1', 0).attr('y2', down)
      .append('title').text(`${from} → ${to}`);
    if (at - lastAt > 150)
      inner.append('text').attr('class', 'inside').attr('text-anchor', 'end').attr('x', at - 4).attr('y', 10).text(`→ ${to.slice(0, 26)}`);
    lastAt = Math.max(lastAt, at);
  }
};

const engineChanges = (points) =>
  points.filter((point) => point.changed).map(({ time, changed }) => ({ time, from: changed.from ?? 'unknown', to: changed.to ?? 'unknown' }));

// Of the points of one line, in the order of time.
const priceChanges = (points) => {
  const known = points.filter((point) => point.hourly);
  return known.slice(1).flatMap(({ time, hourly }, i) =>
    (hourly === known[i].hourly ? [] : [{ time, from: dollars(known[i].hourly), to: `${dollars(hourly)} an hour` }]));
};

const drawHistory = (g, width, { lines, value, words, show, changes }) => {
  const { d3 } = window;
  const shown = lines.map((line, i) => ({ i, points: line.points.filter((point) => value(point)) })).filter((line) => line.points.length);
  const points = shown.flatMap((line) => line.points);
  if (!points.length) return;
  const { inner, across, down } = frame(g, width, HEIGHT, { left: 68 });
  const [first, latest] = d3.extent(lines.flatMap((line) => line.points), (point) => point.time);
  const edge = latest - first || 3600000;
  const x = d3.scaleTime().domain([new Date(first - edge / 40), new Date(+latest + edge / 40)]).range([0, across]);
  const y = d3.scaleLinear().domain(extent(points, value)).range([down, 0]).nice();
  const isLarge = y.domain()[1] >= 1e5;
  axes(inner, { x, y, across, down, xWords: 'when', yWords: words, yFormat: isLarge ? d3.format('.3~s') : undefined, left: -58 });
  drawChanges(inner, shown.flatMap((line) => changes(line.points)), x, down);
  for (const line of shown) {
    const valid = line.points.filter((point) => point.isValid);
    inner.append('path').attr('class', `history-line ${seriesOf(line.i)}`)
      .attr('d', d3.line().x((point) => x(point.time)).y((point) => y(value(point).value))(valid));
    drawWhiskers(inner, line.points, x, y, value, seriesOf(line.i));
  }
  for (const line of shown) drawPoints(inner, line, x, y, value, show);
};

const describe = (lines, value, unit) => {
  const points = lines.flatMap((line) => line.points).filter((point) => value(point) && point.isValid);
  if (!points.length) return `No valid run has a known number of ${unit}.`;
  const newest = points.reduce((one, other) => (other.time > one.time ? other : one));
  const changes = lines.flatMap((line) => line.points).filter((point) => point.changed).length;
  return `${whole(points.length)} valid runs in ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}. The newest: ${interval(value(newest))} ${unit}. `
    + `The engine's version changes ${whole(changes)} ${changes === 1 ? 'time' : 'times'}. The table below lists all changes.`;
};

const legend = (lines) =>
  h('ul', { class: 'plot-legend' }, lines.map((line, i) =>
    h('li', {}, s('svg', { class: 'key', width: 14, height: 14, viewBox: '-7 -7 14 14', 'aria-hidden': 'true' },
      s('path', { class: `point ${seriesOf(i)}`, d: markOf(i, 60) })), ' ', foreign(line.name), ` (${whole(line.points.length)})`)));

const pointWords = (point) => [
  `${moment(point.run.ended_at)}: ${interval(point.throughput)} samples/s`,
  point.dollars ? `, ${interval(point.dollars)} samples per dollar` : '',
  point.isValid ? '. ' : ', invalid. ',
  foreign(point.line.name), '. ',
  point.changed ? `The engine is ${point.run.software ?? 'unknown'} from here on. ` : '',
  h('a', { href: href({ view: 'run', id: point.run.id }) }, 'This run'),
];

// Returns { element, update }; call update() when costs of more runs are known.
export const historyCharts = (lines, workload) => {
  const points = lines.flatMap((line) => line.points).sort((one, other) => one.time - other.time);
  const read = reader('Read out run', points.length, (i) => pointWords(points[i]));
  const show = (point) => read.show(points.indexOf(point));
  const speed = (point) => point.throughput;
  const perDollar = (point) => point.dollars;
  const made = (title, value, unit, changes, below) => plot({ title: `${title} of ${workload}`, description: describe(lines, value, unit), height: HEIGHT, interactive: true,
    caption: 'The axis need not begin at 0.',
    draw: (g, width) => drawHistory(g, width, { lines, value, words: unit, show, changes }), below });
  const throughput = made('Throughput', speed, 'samples/s', engineChanges, [legend(lines), read.element]);
  const worth = made('Training per dollar', perDollar, 'samples per dollar', priceChanges, []);
  const note = h('p', { class: 'note' }, 'Loading the costs of the newest runs …');
  read.show(points.length - 1);
  worth.element.hidden = true;
  const update = () => {
    const known = points.filter((point) => point.dollars).length;
    note.textContent = known
      ? `Known for ${whole(known)} of ${whole(points.length)} runs, at the price that was stored with each run. Dotted lines mark changes of price here, and changes of the engine in the chart above.`
      : `Unknown: ${[...points].reverse().find((point) => point.dollars === null)?.why ?? 'not asked yet'}.`;
    worth.element.hidden = !known; // the note says why there is nothing to draw
    worth.describe(describe(lines, perDollar, 'samples per dollar'));
    worth.redraw();
  };
  return { element: h('div', { class: 'plots' }, throughput.element, worth.element, note), update };
};
