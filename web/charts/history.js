// Charts of runs over time: throughput, and samples per dollar where known.
import { h, s } from '../dom.js';
import { dollars, interval, moment, percentChange, words } from '../format.js';
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

const TEXT = 6.5; // width of a letter, about
const LEVELS = 6; // rows of texts, so that neighbours do not overlap

// "+5.1 %: version"
const changeText = ({ ratio, attributed_to: cause }) => `${percentChange(ratio.value)}: ${words(cause)}`;

// Vertical lines where the level of a line changed, each with its size and what it is attributed to.
const drawLevels = (inner, shown, changesOf, x, across, down) => {
  const ends = Array(LEVELS).fill(-Infinity);
  const all = shown.flatMap((line) => changesOf(line).map((change) => ({ change, i: line.i, at: x(new Date(change.at)) })));
  for (const { change, i, at } of all.sort((one, other) => one.at - other.at)) {
    const text = changeText(change);
    const wide = text.length * TEXT;
    const begin = Math.max(0, Math.min(at + 4, across - wide));
    const free = ends.findIndex((end) => end < begin);
    const level = free < 0 ? 0 : free;
    ends[level] = begin + wide;
    inner.append('line').attr('class', `level ${seriesOf(i)}`).attr('x1', at).attr('x2', at).attr('y1', 0).attr('y2', down)
      .append('title').text(change.words);
    inner.append('text').attr('class', 'inside level-words').attr('x', begin).attr('y', down - 6 - 14 * level).text(text);
  }
};

const speedChanges = (line) => line.changes.filter((change) => change.measure === 'samples_per_second');

// Changes of both measures; if both changed at a run, the one that includes the price.
const dollarChanges = (line) =>
  line.changes.filter((change) => change.measure === 'samples_per_dollar'
    || !line.changes.some((other) => other.measure === 'samples_per_dollar' && other.run === change.run));

const engineChanges = (points) =>
  points.filter((point) => point.changed).map(({ time, changed }) => ({ time, from: changed.from ?? 'unknown', to: changed.to ?? 'unknown' }));

// Of the points of one line, in the order of time.
const priceChanges = (points) => {
  const known = points.filter((point) => point.hourly);
  return known.slice(1).flatMap(({ time, hourly }, i) =>
    (hourly === known[i].hourly ? [] : [{ time, from: dollars(known[i].hourly), to: `${dollars(hourly)} an hour` }]));
};

const drawHistory = (g, width, { lines, value, unit, show, changes, levels }) => {
  const { d3 } = window;
  const shown = lines.map((line, i) => ({ i, changes: line.changes, points: line.points.filter((point) => value(point)) })).filter((line) => line.points.length);
  const points = shown.flatMap((line) => line.points);
  if (!points.length) return;
  const { inner, across, down } = frame(g, width, HEIGHT, { left: 68 });
  const [first, latest] = d3.extent(lines.flatMap((line) => line.points), (point) => point.time);
  const edge = latest - first || 3600000;
  const x = d3.scaleTime().domain([new Date(first - edge / 40), new Date(+latest + edge / 40)]).range([0, across]);
  const y = d3.scaleLinear().domain(extent(points, value)).range([down, 0]).nice();
  const isLarge = y.domain()[1] >= 1e5;
  axes(inner, { x, y, across, down, xWords: 'when', yWords: unit, yFormat: isLarge ? d3.format('.3~s') : undefined, left: -58 });
  drawChanges(inner, shown.flatMap((line) => changes(line.points)), x, down);
  for (const line of shown) {
    const valid = line.points.filter((point) => point.isValid);
    inner.append('path').attr('class', `history-line ${seriesOf(line.i)}`)
      .attr('d', d3.line().x((point) => x(point.time)).y((point) => y(value(point).value))(valid));
    drawWhiskers(inner, line.points, x, y, value, seriesOf(line.i));
  }
  drawLevels(inner, shown, levels, x, across, down);
  for (const line of shown) drawPoints(inner, line, x, y, value, show);
};

const describe = (lines, value, unit) => {
  const points = lines.flatMap((line) => line.points).filter((point) => value(point) && point.isValid);
  if (!points.length) return `No valid run has a known number of ${unit}.`;
  const newest = points.reduce((one, other) => (other.time > one.time ? other : one));
  const changes = lines.flatMap((line) => line.points).filter((point) => point.changed).length;
  const levels = lines.flatMap((line) => line.changes).length;
  return `${whole(points.length)} valid runs in ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}. The newest: ${interval(value(newest))} ${unit}. `
    + `The engine's version changes ${whole(changes)} ${changes === 1 ? 'time' : 'times'}. The level changes ${whole(levels)} ${levels === 1 ? 'time' : 'times'}. The tables below list all changes.`;
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
  point.line.changes.filter((change) => change.run === point.run.id).map((change) => `${change.words}. `),
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
  const made = (title, value, unit, { changes, levels, below }) => plot({ title: `${title} of ${workload}`, description: describe(lines, value, unit), height: HEIGHT, interactive: true,
    caption: 'The axis need not begin at 0.',
    draw: (g, width) => drawHistory(g, width, { lines, value, unit, show, changes, levels }), below });
  const throughput = made('Throughput', speed, 'samples/s',
    { changes: engineChanges, levels: speedChanges, below: [legend(lines), read.element] });
  const worth = made('Training per dollar', perDollar, 'samples per dollar', { changes: priceChanges, levels: dollarChanges, below: [] });
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
