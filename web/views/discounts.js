// The discounts that users entered, now and before; a part of the view of prices.
import { get, post } from '../api.js';
import { h, problem } from '../dom.js';
import { moment, words } from '../format.js';
import { foreign, table } from '../parts.js';
import { takeBackButton, takenBack } from '../take_back.js';
import { section } from './run_parts.js';

const nameOf = ({ provider, family, kind }) => `${provider}, ${family ?? 'all types'}, ${words(kind)}`;

const factorOf = ({ factor }) => (factor === null ? 'none from here on' : `${factor}`);

const columns = (refill) => [
  { name: 'Discount', head: true, cell: (discount) => foreign(nameOf(discount)) },
  { name: 'Factor', number: true, cell: factorOf },
  { name: 'Note', cell: ({ note }) => (note ? foreign(note) : '') },
  { name: 'Holds since', cell: (discount) => moment(discount.valid_from) },
  { name: 'Take back', cell: (discount) => (discount.withdrawn ? ['withdrawn ', takenBack(discount.withdrawn)]
    : takeBackButton({ name: 'Withdraw', label: `Withdraw the discount ${nameOf(discount)}, since ${moment(discount.valid_from)}`, title: 'Withdraw this discount?', verb: 'Withdraw it',
      words: `The factor ${factorOf(discount)} for ${nameOf(discount)} does not hold from now on; what was entered before it holds again.`, said: 'The discount is withdrawn.',
      act: (reason) => post(`/v1/discounts/${discount.id}/withdraw`, { reason }), then: refill })) },
];

// { element, start }; the element is empty where there never was a discount.
export const discountsPart = () => {
  const element = h('div', {});
  const fill = async () => {
    const { discounts } = await get('/v1/discounts', { history: true });
    element.replaceChildren(...(discounts.length ? [section('Discounts', table('All discounts, latest first', columns(start), discounts))] : []));
  };
  const start = () => fill().catch((error) => element.replaceChildren(problem(error, start)));
  return { element, start };
};
