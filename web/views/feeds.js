// The price feeds: the state of each, and a button that refreshes them.
import { get, post } from '../api.js';
import { announce, h, problem } from '../dom.js';
import { age, dollars, moment, words } from '../format.js';
import { every, foreign, table, whole } from '../parts.js';
import { takeBackButton } from '../take_back.js';

const ASK_MS = 1000;

const STATES = { ok: 'good', partly_failed: 'warn', failed: 'bad', never_asked: '', idle: '', off: '' };
const FRESHNESS = { fresh: 'good', stale: 'warn', frozen: 'warn', expired: 'bad' };

const badge = (word, kinds) => h('span', { class: `badge ${kinds[word] ?? ''}` }, words(word));

const ageOf = (feed) => {
  const fetched = feed.scopes.map((scope) => scope.fetched_at).filter(Boolean).sort()[0];
  return fetched ? h('time', { datetime: fetched, title: fetched }, age(fetched)) : 'never read';
};

const next = (feed) => {
  if (!feed.next_at) return 'not planned';
  const minutes = Math.round((Date.parse(feed.next_at) - Date.now()) / 60000);
  return h('time', { datetime: feed.next_at, title: moment(feed.next_at) }, minutes < 1 ? 'within a minute' : minutes < 120 ? `in ${minutes} min` : moment(feed.next_at));
};

const isHeld = (feed) => feed.scopes.some((scope) => scope.held);

const heldPrice = ({ instance_type: type, region, zone, kind, price_per_hour: now, held_price_per_hour: said }) =>
  h('li', {}, foreign(type), ' ', zone ?? region ?? '', `, ${words(kind)}: ${dollars(now)}, and now `, said === null ? 'none' : dollars(said));

const accepted = ({ accepted_after: after, only_by_a_person: person }) => {
  if (person) return 'Reading it again does not confirm it: accept it if it is right.';
  return after ? `Accepted if a reading after ${moment(after)} says nearly the same.` : 'Each is accepted when another reading says the same.';
};

// Prices of a scope held back for confirmation, with the widest jumps.
const held = ({ held: what }) =>
  (what ? h('details', {}, h('summary', {}, `${whole(what.count)} ${what.count === 1 ? 'price' : 'prices'}`),
    h('ul', {}, what.examples.map(heldPrice)),
    h('p', { class: 'note' }, accepted(what))) : '');

const leftOut = ({ left_out: out }) =>
  Object.entries(out ?? {}).filter(([name, count]) => name !== 'seen' && count).map(([name, count]) => `${whole(count)} ${name}`).join(', ') || 'none';

const scopes = (feed) =>
  feed.scopes.length === 0 ? 'none read yet'
    : h('details', {}, h('summary', {}, whole(feed.scopes.length)),
      table(`Parts of ${feed.label}`, [
        { name: 'Part', head: true, cell: (scope) => foreign(scope.scope) },
        { name: 'State', cell: (scope) => badge(scope.state, { ok: 'good', unchanged: 'good', failed: 'bad' }) },
        { name: 'Reason', cell: (scope) => (scope.reason ? foreign(scope.reason) : '') },
        { name: 'Prices', number: true, cell: (scope) => whole(scope.prices) },
        { name: 'Left out', cell: leftOut },
        { name: 'Held back', cell: held },
        { name: 'Last good answer', cell: (scope) => age(scope.fetched_at) },
      ], feed.scopes));

const accept = (feed, refresh) =>
  takeBackButton({ name: 'Accept', label: `Accept what ${feed.label} says`, title: `Accept ${feed.label}?`, verb: 'Accept it',
    words: 'The feed is read now, and whatever it says is stored, once. What waits is under Parts: look at it first.',
    said: 'The feed is being read, and accepted.', act: (reason) => refresh(feed.feed, reason), then: () => {} });

const columns = (refresh) => [
  { name: 'Feed', head: true, cell: (feed) => h('span', { class: 'feed-name' }, foreign(feed.label), feed.third_party && h('span', { class: 'note' }, ' third party'), h('br', {}), h('code', {}, feed.feed)) },
  { name: 'State', cell: (feed) => [badge(feed.state, STATES), feed.reason && h('p', { class: 'feed-reason' }, foreign(feed.reason))] },
  { name: 'Prices are', cell: (feed) => (feed.freshness ? badge(feed.freshness, FRESHNESS) : 'unknown: none was read') },
  { name: 'Last good answer', cell: ageOf },
  { name: 'Prices', number: true, cell: (feed) => whole(feed.prices) },
  { name: 'Next reading', cell: next },
  { name: 'Parts', cell: scopes },
  { name: 'Read', cell: (feed) => [h('button', { type: 'button', 'aria-label': `Read ${feed.label} now`, id: `read-${feed.feed}`, onclick: () => refresh(feed.feed) }, 'Now'), isHeld(feed) && [' ', accept(feed, refresh)]] },
];

const off = (feeds) =>
  feeds.length > 0 && h('details', {}, h('summary', {}, `${feeds.length} ${feeds.length === 1 ? 'feed is' : 'feeds are'} off`),
    h('ul', {}, feeds.map((feed) => h('li', {}, foreign(feed.label), ' ', h('code', {}, feed.feed), feed.third_party && ', third party', feed.reason && [': ', foreign(feed.reason)]))));

const progress = (refresh) => {
  if (!refresh.running) return refresh.ended_at ? h('p', { class: 'note' }, `The last reading ended ${age(refresh.ended_at)}.`) : '';
  const share = refresh.feeds ? (refresh.feeds_done + (refresh.scopes ? refresh.scopes_done / refresh.scopes : 0)) / refresh.feeds : 0;
  return h('p', { class: 'reading' }, h('progress', { max: 1, value: Math.min(1, share), 'aria-label': 'Feeds read' }), ' ',
    `Reading: ${refresh.feeds_done} of ${refresh.feeds} feeds done`, refresh.feed && [', now ', h('code', {}, refresh.feed)], refresh.scope && [' ', foreign(refresh.scope)], '.');
};

// { element, start, stop }; calls onRead() when prices may have changed.
export const feedsPart = (onRead) => {
  const top = h('div', {});
  const trouble = h('div', {});
  const list = h('div', {});
  const button = h('button', { type: 'button', class: 'primary', onclick: () => refresh() }, 'Read all feeds now');
  let running = false;
  let shown = '';

  const fill = ({ refresh: now, feeds }) => {
    const isOn = feeds.filter((feed) => feed.state !== 'off');
    button.hidden = isOn.length === 0;
    for (const each of [button, ...list.querySelectorAll('button')]) each.disabled = now.running;
    top.replaceChildren(progress(now));
    const text = JSON.stringify(feeds);
    if (text === shown) return;
    shown = text;
    const focus = list.contains(document.activeElement) && document.activeElement.id;
    const open = [...list.querySelectorAll('details')].map((each) => each.open);
    list.replaceChildren(
      isOn.length ? table('Price feeds, in order of precedence', columns(refresh), isOn)
        : h('p', { class: 'empty' }, 'All feeds are off: the server knows only prices that users entered.'),
      off(feeds.filter((feed) => feed.state === 'off')) || '');
    [...list.querySelectorAll('details')].forEach((each, i) => {
      each.open = open[i] ?? false;
    });
    if (focus) document.getElementById(focus)?.focus();
  };
  const ask = async () => {
    const answer = await get('/v1/feeds');
    fill(answer);
    if (running && !answer.refresh.running) {
      announce('The feeds were read.');
      onRead();
    }
    running = answer.refresh.running;
    trouble.replaceChildren();
  };
  const read = async (asked) => {
    const query = new URLSearchParams(asked).toString();
    await post(`/v1/prices/refresh${query && `?${query}`}`);
    running = true;
    await ask();
  };
  // With a reason the feed is accepted; a refusal is shown in the dialog.
  const refresh = (feed, reason) =>
    (reason ? read({ feed, accept: true, reason })
      : read(feed ? { feed } : {}).catch((error) => trouble.replaceChildren(problem(error))));
  const stop = every(ASK_MS, () => running && ask().catch((error) => trouble.replaceChildren(problem(error))));
  return { element: h('div', {}, h('p', { class: 'buttons' }, button), top, trouble, list), start: ask, stop };
};
