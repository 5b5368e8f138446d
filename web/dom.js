// Creates elements. Text of the API becomes text nodes only, so it cannot be markup.

const SVG = 'http://www.w3.org/2000/svg';

// h('a', { href: '/', onclick: open }, 'text', element, [more], null): null and false are left out.
// Names that begin with "on" are listeners, the rest attributes; true is an empty attribute.
export const h = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

// The same in SVG.
export const s = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
};

// Announces a text to screen readers.
export const announce = (text) => {
  document.querySelector('#news').textContent = text;
};

// The states of a view without content.
export const loading = (what) => h('p', { class: 'loading', role: 'status' }, `Loading ${what} …`);
export const empty = (...words) => h('p', { class: 'empty' }, ...words);
export const problem = (error, again) =>
  h('div', { class: 'problem', role: 'alert' },
    h('p', {}, error.message),
    again && h('button', { type: 'button', onclick: again }, 'Try again'));
