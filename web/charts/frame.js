// The frame of a chart: a figure with title, description and details, marks that pointer and arrow
// keys reach, and a drawing that follows the width.
import { h, s } from '../dom.js';

const REACH_PX = 36; // largest distance from the pointer to its mark

const HINT = 'To see the numbers of a mark, point at it, or focus the chart and use the arrow keys.';

// draw(svg, width, data) fills the svg and returns { height, description, caption, marks }, a mark
// being { element, x, y, details }: details() is called when the user selects the mark.
export const makeChart = ({ name, title, draw }) => {
  const heading = s('title', { id: `${name}-title` }, title);
  const description = s('desc', { id: `${name}-desc` });
  const canvas = s('g');
  const svg = s('svg', { class: 'chart', role: 'group', 'aria-labelledby': `${name}-title`, 'aria-describedby': `${name}-desc` },
    heading, description, canvas);
  const detail = h('div', { class: 'detail' });
  const caption = h('figcaption', {});
  const holder = h('div', { class: 'canvas' }, svg);
  const figure = h('figure', { class: `figure ${name}` }, h('h2', {}, title), holder, detail, caption);
  let data = null;
  let marks = [];
  let current = -1;
  let drawnWidth = 0;

  const look = (i) => {
    marks[current]?.element.classList.remove('on');
    current = i;
    if (!marks[i]) {
      detail.replaceChildren(h('p', { class: 'hint' }, marks.length ? HINT : ''));
      return;
    }
    marks[i].element.classList.add('on');
    detail.replaceChildren(...[marks[i].details()].flat());
  };
  const focus = (i) => {
    for (const mark of marks) mark.element.setAttribute('tabindex', '-1');
    marks[i].element.setAttribute('tabindex', '0');
    marks[i].element.focus({ preventScroll: true });
  };
  const redraw = () => {
    const width = holder.clientWidth;
    if (!data || width < 40) return;
    const hadFocus = svg.contains(document.activeElement);
    drawnWidth = width;
    canvas.replaceChildren();
    const drawing = draw(canvas, width, data);
    marks = drawing.marks;
    svg.setAttribute('viewBox', `0 0 ${width} ${drawing.height}`);
    svg.setAttribute('height', drawing.height);
    description.textContent = drawing.description;
    caption.replaceChildren(...[drawing.caption].flat());
    marks.forEach((mark, i) => mark.element.setAttribute('tabindex', i === 0 ? '0' : '-1'));
    look(-1);
    if (hadFocus && marks.length) focus(0);
  };

  // Not on the svg, which would become an extra tab stop.
  holder.addEventListener('focusin', (event) => look(marks.findIndex((mark) => mark.element === event.target)));
  holder.addEventListener('keydown', (event) => {
    const at = marks.findIndex((mark) => mark.element === event.target);
    const steps = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: marks.length - 1 };
    const to = steps[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    if (marks[to]) focus(to);
  });
  svg.addEventListener('pointermove', (event) => {
    const box = svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = -1;
    let least = REACH_PX;
    marks.forEach((mark, i) => {
      const away = mark.distance ? mark.distance(x, y) : Math.hypot(mark.x - x, mark.y - y);
      if (away < least) [best, least] = [i, away];
    });
    if (best >= 0 && best !== current) look(best);
  });
  const observer = new ResizeObserver(() => holder.clientWidth !== drawnWidth && redraw());
  observer.observe(holder);

  const update = (now) => {
    data = now;
    redraw();
  };
  return { figure, update, stop: () => observer.disconnect() };
};

// Whiskers: a line with an end on each side.
export const upright = (x, y0, y1) => `M${x} ${y0}V${y1}M${x - 4} ${y0}h8M${x - 4} ${y1}h8`;
export const across = (y, x0, x1) => `M${x0} ${y}H${x1}M${x0} ${y - 4}v8M${x1} ${y - 4}v8`;

// Round numbers of a logarithmic axis: 1, 2, 5, 10, ..., fewer where they would crowd.
export const logTicks = ([low, high], most) => {
  for (const digits of [[1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      for (const digit of digits) {
        const tick = digit * 10 ** power;
        if (tick >= low && tick <= high) ticks.push(Number(tick.toPrecision(1)));
      }
    if (ticks.length <= most) return ticks;
  }
  return [];
};

export const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text);
