// A sentence that answers the same question at spot prices.
import { get } from '../api.js';
import { h } from '../dom.js';
import { href } from '../state.js';
import { anHour, name, perDollar } from '../comparison_words.js';

export const makeSpot = () => {
  const element = h('p', { class: 'evidence spot' });
  const say = (...content) => {
    element.replaceChildren(...content);
    element.hidden = content.length === 0;
  };
  // Optional: on failure the main answer stays.
  const update = async (asked, signal) => {
    say();
    if (asked.price || asked.sort || asked.utility) return;
    let answer;
    try {
      answer = await get('/v1/comparison', { ...asked, price: 'spot', limit: 1 }, { signal });
    } catch {
      return;
    }
    const [row] = answer.rows;
    if (signal.aborted || !row?.samples_per_dollar || !row.price) return;
    say(row.rank ? 'On spot: ' : 'On spot, by published figures: ', h('strong', {}, name(row)),
      `, ${perDollar(row)} at ${anHour(row.price)}. `,
      h('a', { href: href({ price: 'spot' }) }, 'Compare on spot'));
  };
  return { element, update };
};
