// The prices of a type over time: a step line for each source, kind and place.
import { h, s } from '../dom.js';
import { dollars, moment } from '../format.js';
import { foreign, whole } from '../parts.js';
import { axes, frame, plot, reader } from './plot.js';

const HEIGHT = 280;
const DASHES = ['none', '7 3', '2 3', '10 3 2 3']; // distinguish lines of one colour
const MOST_NAMED = 24;

const since = (price) => new Date(price.valid_from ?? price.source_time ?? price.fetched_at);

const nameOf = (price) => [price.provider, price.zone ?? price.region ?? 'any place', price.kind.replace('_', ' '), price.feed !== price.kind && price.feed].filter(Boolean).join(', ');

// The price valid at a time: a withdrawn price was valid until then.
const heldAt = (prices, time) =>
  prices.filter((price) => since(price) <= time && (!price.withdrawn || new Date(price.withdrawn.at) > time)).at(-1);

// A point for each time at which a price became valid or was withdrawn.
const pointsWithWithdrawals = (points) => {
  const prices = points.map((point) => point.price);
  const times = new Set(prices.flatMap((price) => [since(price).getTime(), ...(price.withdrawn ? [Date.parse(price.withdrawn.at)] : [])]));
  return [...times].sort((one, other) => one - other).map((milliseconds) => {
    const time = new Date(milliseconds);
    const price = heldAt(prices, time);
    return { ...points[0], time, price: price ?? points[0].price, value: price?.price_per_hour ?? null };
  });
};

// Lines of prices, oldest first; null makes a gap.
export const priceLines = (prices) => {
  const all = new Map();
  for (const price of prices) {
    const name = nameOf(price);
    if (!all.has(name)) all.set(name, { name, points: [] });
    all.get(name).points.push({ price, time: since(price), value: price.price_per_hour, name });
  }
  for (const line of all.values()) {
    line.points.sort((one, other) => one.time - other.time);
    if (line.points.some(({ price }) => price.withdrawn)) line.points = pointsWithWithdrawals(line.points);
  }
  return [...all.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
};

const draw = (g, width, lines, now) => {
  const { d3 } = window;
  const points = lines.flatMap((line) => line.points);
  const known = points.filter((point) => point.value !== null);
  if (!known.length) return;
  const { inner, across, down } = frame(g, width, HEIGHT, { left: 68 });
  const first = d3.min(points, (point) => point.time);
  const x = d3.scaleTime().domain([Math.min(first, now - 3600000), now]).range([0, across]);
  const y = d3.scaleLinear().domain([0, d3.max(known, (point) => point.value) * 1.1]).range([down, 0]).nice();
  axes(inner, { x, y, across, down, xWords: 'valid from', yWords: 'dollars an hour', left: -54, yFormat: dollars });
  const path = d3.line().defined((point) => point.value !== null).curve(d3.curveStepAfter).x((point) => x(point.time)).y((point) => y(point.value ?? 0));
  lines.forEach((line, i) => {
    const last = line.points[line.points.length - 1];
    inner.append('path').attr('class', `price-line tone-${(i % 6) + 1}`).attr('stroke-dasharray', DASHES[Math.floor(i / 6) % DASHES.length])
      .attr('d', path([...line.points, { ...last, time: now }]));
    for (const point of line.points.filter((each) => each.value !== null))
      inner.append('circle').attr('class', `point tone-${(i % 6) + 1}`).attr('r', 3).attr('cx', x(point.time)).attr('cy', y(point.value));
  });
};

const legend = (lines) =>
  h('ul', { class: 'plot-legend' }, lines.slice(0, MOST_NAMED).map((line, i) =>
    h('li', {}, s('svg', { class: `key tone-${(i % 6) + 1}`, width: 28, height: 10, 'aria-hidden': 'true' },
      s('path', { class: 'price-line', d: 'M0,5H28', 'stroke-dasharray': DASHES[Math.floor(i / 6) % DASHES.length] })), ' ', foreign(line.name))),
  lines.length > MOST_NAMED && h('li', {}, `and ${whole(lines.length - MOST_NAMED)} more, in the table`));

export const priceChart = (type, prices, now) => {
  const lines = priceLines(prices);
  const points = lines.flatMap((line) => line.points).sort((one, other) => one.time - other.time);
  const read = reader('Read out price', points.length, (i) => {
    const { price, time, value, name } = points[i];
    return [`${moment(time)}: ${value === null ? 'no price from here on' : `${dollars(value)} an hour`}, `, foreign(name), price.label === name ? '' : ` (${price.label})`];
  });
  read.show(points.length - 1);
  const known = points.filter((point) => point.value !== null).map((point) => point.value);
  const range = known.length ? ` from ${dollars(Math.min(...known))} to ${dollars(Math.max(...known))} an hour` : '';
  return plot({ title: `Hourly price of ${type}`, height: HEIGHT,
    description: `${whole(points.length)} prices in ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}${range}. The table below has all of them.`,
    draw: (g, width) => draw(g, width, lines, now), below: [legend(lines), read.element] }).element;
};
