// Base of charts: an SVG with a name and a description that is redrawn when its width changes, a
// reader for the keyboard, and a table of the same data.
import { h, s } from '../dom.js';

let count = 0;

// draw(g, width) fills a d3 selection. `interactive`: it holds links, so it is not an image.
// Returns { element, redraw, describe }.
export const plot = ({ title, description, height, draw, caption, below = [], interactive = false }) => {
  const id = `plot-${++count}`;
  const words = s('desc', { id: `${id}-description` }, description);
  const body = s('g', {});
  const svg = s('svg', { class: 'plot', role: interactive ? 'group' : 'img', width: '100%',
    'aria-labelledby': `${id}-title`, 'aria-describedby': `${id}-description` },
  s('title', { id: `${id}-title` }, title), words, body);
  svg.style.height = `${height}px`;
  const holder = h('div', { class: 'plot-holder' }, svg);
  let width = 0;
  const redraw = () => {
    if (width < 100) return;
    body.replaceChildren();
    draw(window.d3.select(body), width);
  };
  new ResizeObserver(([entry]) => {
    const room = Math.floor(entry.contentRect.width);
    if (room === width) return;
    width = room;
    redraw();
  }).observe(holder);
  const element = h('figure', { class: 'chart' }, h('figcaption', {}, h('strong', {}, title), caption && ' ', caption), holder, below);
  const describe = (text) => {
    words.textContent = text;
  };
  return { element, redraw, describe };
};

// The frame of a chart; returns its group with the inner size.
export const frame = (g, width, height, { left = 56, right = 14, top = 12, bottom = 40 } = {}) => {
  const inner = g.append('g').attr('transform', `translate(${left},${top})`);
  return { inner, across: width - left - right, down: height - top - bottom };
};

// Axes, with fewer ticks in a narrow chart, and grid lines from the left one.
export const axes = (inner, { x, y, across, down, xWords, yWords, xFormat, yFormat, ticks = 5, xTicks = Math.max(2, Math.floor(across / 90)), left: wordsAt = -44 }) => {
  const { axisBottom, axisLeft } = window.d3;
  const bottom = axisBottom(x).ticks(xTicks).tickSizeOuter(0);
  const side = axisLeft(y).ticks(ticks).tickSize(-across);
  if (xFormat) bottom.tickFormat(xFormat);
  if (yFormat) side.tickFormat(yFormat);
  inner.append('g').attr('class', 'axis grid').call(side).select('.domain').remove();
  inner.append('g').attr('class', 'axis').attr('transform', `translate(0,${down})`).call(bottom);
  inner.append('text').attr('class', 'axis-words').attr('x', across / 2).attr('y', down + 34).attr('text-anchor', 'middle').text(xWords);
  inner.append('text').attr('class', 'axis-words').attr('transform', 'rotate(-90)').attr('x', -down / 2).attr('y', wordsAt)
    .attr('text-anchor', 'middle').text(yWords);
};

// Reads a chart point by point: by a slider for the keyboard, by show() for the pointer.
// tell(i) -> text or elements. Returns { element, show, grow }.
export const reader = (name, length, tell, onShow = () => {}) => {
  const output = h('output', {});
  const input = h('input', { type: 'range', min: 0, max: Math.max(0, length - 1), value: 0, 'aria-label': name });
  const show = (i) => {
    input.value = i;
    const parts = [tell(i)].flat();
    output.replaceChildren(...parts);
    input.setAttribute('aria-valuetext', output.textContent);
    onShow(i);
  };
  input.addEventListener('input', () => show(Number(input.value)));
  const grow = (more) => {
    input.max = Math.max(0, more - 1);
  };
  return { element: h('div', { class: 'reader' }, h('label', {}, h('span', {}, name), input), output), show, grow };
};

// The table of a chart, folded until opened.
export const twin = (...content) =>
  h('details', { class: 'twin' }, h('summary', {}, 'Show as a table'), content);

// Thins the points from..to - 1 without changing the drawn line: keeps the first, lowest, highest and last of each
// pixel column.
export const thin = (values, from, to, columns) => {
  const length = to - from;
  if (length <= 4 * columns) return Array.from({ length }, (_, i) => from + i);
  const kept = [];
  for (let column = 0; column < columns; column++) {
    const begin = from + Math.floor((column * length) / columns);
    const end = from + Math.floor(((column + 1) * length) / columns);
    let low = begin;
    let high = begin;
    for (let i = begin; i < end; i++) {
      if (values[i] < values[low]) low = i;
      if (values[i] > values[high]) high = i;
    }
    for (const i of [begin, Math.min(low, high), Math.max(low, high), end - 1])
      if (i !== kept[kept.length - 1]) kept.push(i);
  }
  return kept;
};
