// Shows the view that the address names. A view is a module with
//     export const title;                     // of the page, and of its link
//     export const show = async (root, state) => stop;
// show() fills root (empty) and may return a function that stops its streams and timers. A change of
// state within the view calls show() again, unless the view exports
//     export const change = (state) => void;  // called instead
import { h, loading, problem } from './dom.js';
import './forget.js';
import { href, onChange, state } from './state.js';
import * as comparison from './views/comparison.js';
import * as family from './views/family.js';
import * as history from './views/history.js';
import * as measure from './views/measure.js';
import * as prices from './views/prices.js';
import * as run from './views/run.js';
import * as runs from './views/runs.js';
import * as sweep from './views/sweep.js';

const views = { comparison, family, runs, history, prices, measure, run, sweep };
const inMenu = ['comparison', 'runs', 'history', 'prices', 'measure'];

let shown = null; // its name
let stop = null;

const menu = (name) =>
  document.querySelector('nav').replaceChildren(
    h('ul', {}, inMenu.map((each) =>
      h('li', {}, h('a', { href: href({ view: each }), 'aria-current': each === name && 'page' }, views[each].title)))));

const render = async () => {
  const now = state();
  const name = Object.hasOwn(views, now.view) ? now.view : 'comparison';
  const view = views[name];
  const root = document.querySelector('main');
  if (name === shown && view.change) {
    view.change(now);
    return;
  }
  const moved = shown !== null && name !== shown;
  stop?.();
  stop = null;
  shown = name;
  menu(name);
  document.title = `${view.title} - pennyworth`;
  const content = h('div', { class: `view ${name}` }, h('h1', {}, view.title), loading(view.title.toLowerCase()));
  root.replaceChildren(content);
  if (moved) root.focus();
  const inner = h('div', {});
  try {
    const ended = await view.show(inner, now);
    if (content.isConnected) stop = ended ?? null;
    else ended?.();
  } catch (error) {
    if (error.name === 'AbortError') return;
    inner.replaceChildren(problem(error, render));
  }
  if (content.isConnected) content.querySelector('.loading').replaceWith(inner);
};

onChange(render);
render(); // a module runs when the document is read, and after scripts that are deferred
