// Who uses the processors now, and whether to wait: a line to read before measuring.
import { get } from './api.js';
import { h } from './dom.js';
import { every } from './parts.js';

const ASK_MS = 5000;

// Asks again while it is on screen. { element, stop }
export const machineLoad = () => {
  const element = h('p', { class: 'hint load' });
  const ask = async () => {
    try {
      const { advice, words } = await get('/v1/machine/load', {}, { asks: false });
      element.classList.toggle('wait', advice !== 'go_on');
      element.textContent = `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
    } catch {
      element.textContent = ''; // a run can begin all the same
    }
  };
  ask();
  return { element, stop: every(ASK_MS, () => element.offsetParent !== null && ask()) };
};
