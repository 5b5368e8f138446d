// Charts of a run's steps: seconds and loss.
import { h } from '../dom.js';
import { number } from '../format.js';
import { table, whole } from '../parts.js';
import { axes, frame, plot, reader, thin, twin } from './plot.js';
import { endMeasured, firstMeasured, groups, outliers } from '../trace.js';

const HEIGHT = 300;
const LOSS_HEIGHT = 150;
const STRIP = 26; // pixels above the steps, for canary readings
const MOST_LISTED = 200;
const FEW = 60; // at most so many steps get a mark each, because a line through one point is invisible
const SPREAD = 6; // ratio from which the scale is logarithmic, so that outliers do not flatten the rest

const milliseconds = (seconds) => number(seconds * 1000);

const range = (values, length) => {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < length; i++) {
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  return [low, high];
};

const scaleOf = (trace, down) => {
  const [low, high] = range(trace.seconds, trace.length).map((seconds) => seconds * 1000);
  const { scaleLinear, scaleLog } = window.d3;
  if (low > 0 && high / low > SPREAD) return { y: scaleLog().domain([low / 1.1, high * 1.1]).range([down, 0]), kind: ', logarithmic' };
  const space = Math.max((high - low) / 10, high / 50);
  return { y: scaleLinear().domain([Math.max(0, low - space), high + space]).range([down, 0]).nice(), kind: '' };
};

// The measured steps are known only at the end of the run, and so is the warm-up.
const border = (trace, run) => (run.summary ? firstMeasured(trace) : 0);

const drawLine = (inner, indices, x, y, values, name) => {
  const line = window.d3.line().x((i) => x(i)).y((i) => y(values[i]));
  inner.append('path').attr('class', name).attr('d', line(indices));
  if (indices.length > FEW) return;
  for (const i of indices) inner.append('circle').attr('class', `dot ${name}`).attr('r', 2.5).attr('cx', x(i)).attr('cy', y(values[i]));
};

// Ticks at whole steps only.
const ticksFor = (trace, across) => Math.max(1, Math.min(trace.length - 1, Math.floor(across / 90)));

const drawWarmUp = (inner, x, end, down) => {
  if (!end) return;
  inner.append('rect').attr('class', 'warm-up').attr('x', 0).attr('y', 0).attr('width', Math.max(1, x(end))).attr('height', down);
  inner.append('line').attr('class', 'warm-up-end').attr('x1', x(end)).attr('x2', x(end)).attr('y1', 0).attr('y2', down);
  if (x(end) > 70) inner.append('text').attr('class', 'inside').attr('x', 6).attr('y', 16).text('warm-up');
};

// Merges marks on one pixel; the text counts them all.
const drawOutliers = (inner, all, x, y, { seconds }, { above_seconds: above }) => {
  const seen = new Set();
  const { symbol, symbolTriangle } = window.d3;
  const mark = symbol().type(symbolTriangle).size(38)();
  for (const i of all) {
    const at = `${Math.round(x(i))},${Math.round(y(seconds[i] * 1000))}`;
    if (seen.has(at)) continue;
    seen.add(at);
    inner.append('path').attr('class', 'outlier').attr('d', mark).attr('transform', `translate(${at})${seconds[i] > above ? '' : ' rotate(180)'}`);
  }
};

const drawCanaries = (inner, canaries, x, across) => {
  const { symbol, symbolDiamond } = window.d3;
  const mark = symbol().type(symbolDiamond).size(50)();
  canaries.forEach((canary, i) => {
    const at = x(canary.steps);
    inner.append('path').attr('class', 'canary').attr('d', mark).attr('transform', `translate(${at},-12)`);
    const last = i === canaries.length - 1;
    if ((i && !last) || across < 500) return;
    inner.append('text').attr('class', 'inside').attr('x', at + (i ? -10 : 10)).attr('y', -8)
      .attr('text-anchor', i ? 'end' : 'start').text(`${number(canary.hertz / 1e9)} GHz`);
  });
};

// The steps after the last measured one.
const drawRest = (inner, x, { trace, run }, across, down) => {
  const end = run.summary ? endMeasured(trace) : trace.length;
  if (end < trace.length) inner.append('rect').attr('class', 'warm-up').attr('x', x(end)).attr('y', 0).attr('width', Math.max(1, across - x(end))).attr('height', down);
};

// The cursor: a line that follows slider and pointer.
const pointer = (inner, across, down, x, { trace, show, cursors }, name) => {
  const { mouse } = window.d3;
  const cursor = inner.append('line').attr('class', 'cursor').attr('y1', 0).attr('y2', down).attr('visibility', 'hidden');
  cursors[name] = (i) => cursor.attr('x1', x(i)).attr('x2', x(i)).attr('visibility', 'visible');
  inner.append('rect').attr('class', 'catcher').attr('width', across).attr('height', down).on('mousemove', function move() {
    const at = Math.round(x.invert(mouse(this)[0]));
    if (at >= 0 && at < trace.length) show(at);
  });
};

const counted = (trace, run, i) => {
  if (!run.summary) return 'not decided';
  if (trace.measured[i]) return 'yes';
  return i < firstMeasured(trace) ? 'no, warm-up' : 'no, after the interval was narrow enough';
};

const stepWords = (trace, run, i) =>
  `Step ${whole(i)}: ${milliseconds(trace.seconds[i])} ms, loss ${number(trace.loss[i])}${run.summary && !trace.measured[i] ? `, counted: ${counted(trace, run, i)}` : ''}`;

const describe = (trace, run, canaries, found) => {
  const [low, high] = range(trace.seconds, trace.length);
  return [`${whole(trace.length)} steps, the shortest ${milliseconds(low)} ms, the longest ${milliseconds(high)} ms.`,
    run.summary && `The median of the measured steps is ${milliseconds(run.summary.median_step_seconds)} ms.`,
    run.summary ? `The first ${whole(firstMeasured(trace))} are warm-up and not counted.` : 'The measured steps are known when the run finishes.',
    run.summary && `${whole(found.length)} are outliers.`,
    canaries.length > 0 && `${canaries.length} canary measurements.`].filter(Boolean).join(' ');
};

// The legend.
const legend = (run, canaries, found) =>
  h('ul', { class: 'plot-legend' },
    h('li', { class: 'key-line' }, 'step'),
    run.summary && h('li', { class: 'key-median' }, `median ${milliseconds(run.summary.median_step_seconds)} ms`),
    run.summary ? h('li', { class: 'key-warm-up' }, 'not counted: the warm-up, and steps after the interval was narrow enough') : h('li', {}, 'pennyworth decides which steps count when the run finishes'),
    run.summary && h('li', {}, h('span', { class: 'key outlier-key', 'aria-hidden': 'true' }, '▲'), ` outlier: ${whole(found.length)}`),
    canaries.length > 0 && h('li', {}, h('span', { class: 'key canary-key', 'aria-hidden': 'true' }, '◆'), ' canary: a measurement of the processor clock between steps'));

const stepTable = (trace, run) =>
  table('Steps in groups', [
    { name: 'Steps', head: true, cell: (group) => (group.to - group.from > 1 ? `${whole(group.from)} to ${whole(group.to - 1)}` : whole(group.from)) },
    { name: 'Counted', cell: (group) => counted(trace, run, group.from) },
    { name: 'Shortest, ms', number: true, cell: (group) => milliseconds(group.low) },
    { name: 'Median, ms', number: true, cell: (group) => milliseconds(group.median) },
    { name: 'Longest, ms', number: true, cell: (group) => milliseconds(group.high) },
    { name: 'Mean loss', number: true, cell: (group) => number(group.loss) },
  ], groups(trace, 40));

// The largest outliers, if there are too many to list, in order of steps.
const worst = ({ seconds }, found, median) =>
  [...found].sort((one, other) => Math.abs(seconds[other] - median) - Math.abs(seconds[one] - median))
    .slice(0, MOST_LISTED).sort((one, other) => one - other);

const outlierTable = (trace, found, run) =>
  found.length > 0 && table(found.length > MOST_LISTED ? `Of ${whole(found.length)} outliers, the ${MOST_LISTED} largest` : 'Outliers', [
    { name: 'Step', head: true, cell: (i) => whole(i) },
    { name: 'Took, ms', number: true, cell: (i) => milliseconds(trace.seconds[i]) },
  ], worst(trace, found, run.summary.median_step_seconds));

const canaryTable = (canaries) =>
  canaries.length > 0 && table('Canaries', [
    { name: 'After steps', head: true, cell: (canary) => whole(canary.steps) },
    { name: 'Clock, GHz', number: true, cell: (canary) => number(canary.hertz / 1e9) },
    { name: 'Copying, GB/s', number: true, cell: (canary) => number(canary.copy_bytes_per_second / 1e9) },
  ], canaries);

const drawSteps = (g, width, now) => {
  const { trace, run, canaries, found } = now;
  if (!trace.length) return;
  const { inner, across, down } = frame(g, width, HEIGHT, { top: canaries.length ? STRIP + 8 : 12 });
  const x = window.d3.scaleLinear().domain([0, Math.max(1, trace.length - 1)]).range([0, across]);
  const { y, kind } = scaleOf(trace, down);
  const begin = border(trace, run);
  drawWarmUp(inner, x, begin, down);
  drawRest(inner, x, now, across, down);
  axes(inner, { x, y, across, down, xWords: 'step', xTicks: ticksFor(trace, across), yWords: `milliseconds${kind}`, yFormat: kind ? y.tickFormat(2, '~g') : undefined, xFormat: window.d3.format(',d') });
  const values = trace.seconds;
  drawLine(inner, thin(values, 0, trace.length, Math.max(50, Math.floor(across))), x, (seconds) => y(seconds * 1000), values, 'line');
  if (run.summary) {
    const at = y(run.summary.median_step_seconds * 1000);
    inner.append('line').attr('class', 'median').attr('x1', x(Math.min(begin, trace.length - 1))).attr('x2', across).attr('y1', at).attr('y2', at);
    drawOutliers(inner, found, x, y, trace, run.summary.outliers);
  }
  drawCanaries(inner, canaries, x, across);
  pointer(inner, across, down, x, now, 'steps');
};

const drawLoss = (g, width, now) => {
  const { trace, run } = now;
  if (!trace.length) return;
  const { inner, across, down } = frame(g, width, LOSS_HEIGHT);
  const x = window.d3.scaleLinear().domain([0, Math.max(1, trace.length - 1)]).range([0, across]);
  const [low, high] = range(trace.loss, trace.length);
  const y = window.d3.scaleLinear().domain([Math.min(0, low), high || 1]).range([down, 0]).nice();
  drawWarmUp(inner, x, border(trace, run), down);
  drawRest(inner, x, now, across, down);
  axes(inner, { x, y, across, down, xWords: 'step', xTicks: ticksFor(trace, across), yWords: 'loss', ticks: 3, xFormat: window.d3.format(',d') });
  drawLine(inner, thin(trace.loss, 0, trace.length, Math.max(50, Math.floor(across))), x, y, trace.loss, 'line second');
  pointer(inner, across, down, x, now, 'loss');
};

// The charts of a trace that may still grow. Returns { element, update }.
export const traceCharts = (trace, run, canaries) => {
  const holders = { legend: h('div', {}), twin: h('div', {}) };
  const now = { trace, run, canaries, found: [], cursors: {}, show: (i) => read.show(i) };
  const read = reader('Read out step', 0, (i) => (trace.length ? stepWords(trace, run, i) : ''),
    (i) => Object.values(now.cursors).forEach((move) => move(i)));
  const steps = plot({ title: 'Duration of each step', description: 'Nothing is there yet.', height: HEIGHT, caption: 'The axis need not begin at 0.',
    draw: (g, width) => drawSteps(g, width, now), below: [holders.legend, read.element, holders.twin] });
  const loss = plot({ title: 'Loss', description: 'Nothing is there yet.', height: LOSS_HEIGHT, draw: (g, width) => drawLoss(g, width, now) });
  let waiting = false;
  const tables = () => {
    waiting = false;
    const open = holders.twin.firstChild?.open;
    const made = twin(stepTable(trace, run), outlierTable(trace, now.found, run) || '', canaryTable(canaries) || '');
    made.open = Boolean(open);
    holders.twin.replaceChildren(made);
  };
  const update = () => {
    if (!trace.length) return;
    now.found = run.summary ? outliers(trace, run.summary.outliers) : [];
    steps.describe(describe(trace, run, canaries, now.found));
    loss.describe(`From ${number(trace.loss[0])} in the first step to ${number(trace.loss[trace.length - 1])} in the last. The table of steps shows it too.`);
    holders.legend.replaceChildren(legend(run, canaries, now.found));
    read.grow(trace.length);
    steps.redraw();
    loss.redraw();
    if (!waiting) setTimeout(tables, 300);
    waiting = true;
  };
  return { element: h('div', { class: 'plots' }, steps.element, loss.element), update };
};
