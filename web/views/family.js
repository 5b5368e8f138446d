// How training scales over the sizes of a family of instance types.
import { get } from '../api.js';
import { empty, h } from '../dom.js';
import { dollars, half, number, percent } from '../format.js';
import { foreign, table, unknown, whole } from '../parts.js';
import { priceSource } from '../comparison_words.js';
import { href } from '../state.js';

export const title = 'Sizes of a family';

const PARAMETERS = ['family', 'instance_type', 'provider', 'workload', 'engine', 'precision', 'price', 'region', 'zone'];

const small = (...content) => h('span', { class: 'small' }, ...content);

// Whole dollars and samples with the digits that the interval allows.
const measured = (estimate) => {
  if (!estimate) return unknown();
  const width = half(estimate);
  return [number(estimate.value, width),
    small(estimate.low === null ? 'no interval' : `${number(estimate.low, width)} to ${number(estimate.high, width)}`)];
};

const efficiency = ({ scaling_efficiency: ratio }) => {
  if (!ratio) return unknown();
  return [percent(ratio.value), small(ratio.low === null ? 'no interval' : `${percent(ratio.low)} to ${percent(ratio.high)}`)];
};

const fact = ({ value, source }) => (value === null ? unknown() : [number(value, 0.1), source === 'measured' && small('as a machine said')]);

const price = (size) => (size.price ? [dollars(size.price.price_per_hour), small(priceSource(size.price))] : unknown(size.why_no_price));

const COLUMNS = [
  { name: 'Size', head: true, cell: (size) => [foreign(size.instance_type), size.cpu_model && small(foreign(size.cpu_model))] },
  { name: 'vCPUs', number: true, cell: (size) => fact(size.vcpus) },
  { name: 'Memory, GiB', number: true, cell: (size) => [fact(size.memory_gib),
    size.memory_gib_per_vcpu !== null && small(`${number(size.memory_gib_per_vcpu, 0.1)} a vCPU`)] },
  { name: 'Price an hour', number: true, cell: price },
  { name: 'Per second', number: true, cell: (size) => (size.measured ? measured(size.throughput) : 'not measured') },
  { name: 'Per dollar', number: true, cell: (size) => (size.measured ? measured(size.samples_per_dollar) : '') },
  { name: 'Efficiency', number: true, cell: (size) => (size.measured ? efficiency(size) : '') },
];

const familyPart = ({ family, provider, reference, sizes }) =>
  h('section', {}, h('h2', {}, foreign(family), provider && [' of ', foreign(provider)]),
    h('p', { class: 'note' }, `${whole(sizes.filter((size) => size.measured).length)} of ${whole(sizes.length)} sizes were measured. `,
      reference && ['Efficiency is the throughput of a vCPU relative to ', foreign(reference), '.']),
    table(`Sizes of ${family}`, COLUMNS, sizes));

export const show = async (root, now) => {
  const asked = Object.fromEntries(PARAMETERS.filter((name) => name in now).map((name) => [name, now[name]]));
  const answer = await get('/v1/families', asked);
  const { family, instance_type: type, ...question } = asked;
  root.append(
    h('p', {}, h('a', { href: href({ view: 'comparison', ...question }) }, 'Back to the comparison'), ' of ', foreign(answer.workload),
      (family || type) && [' · ', h('a', { href: href({ view: 'family', ...question }) }, 'All families that were measured')]),
    ...(answer.families.length ? answer.families.map(familyPart)
      : [empty('No size of such a family is known', family || type ? [': ', foreign(family ?? type)] : '', '.')]),
    answer.next_cursor ? h('p', { class: 'note' }, 'The first families: name one to see others.') : '',
    h('p', { class: 'small' }, `${answer.words}.`));
};
