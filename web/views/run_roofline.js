// The speed of each part of a step as a share of the machine's peak.
import { h, s } from '../dom.js';
import { number, percent } from '../format.js';
import { table, unknown } from '../parts.js';

const HEIGHT = 120;
const TOP = 20; // for the words above the roof
const FLOOR = 6; // names each part by its colour, also where it has no share

const giga = (rate) => (rate === null ? '–' : number(rate / 1e9));

// As wide as a part is long, as high as its share of the peak: the area is work, what is above it was left unused.
const picture = (parts, unit) => {
  const total = parts.reduce((sum, part) => sum + part.seconds, 0);
  const most = Math.max(1, ...parts.map((part) => part.share ?? 0));
  const y = (share) => TOP + HEIGHT * (1 - share / most);
  let at = 0;
  const bars = parts.map(({ name, seconds, share }, i) => {
    const x = `${(at / total) * 100}%`;
    const width = `${(seconds / total) * 100}%`;
    at += seconds;
    return [
      s('rect', { class: `floor split-${i + 1}`, x, y: TOP + HEIGHT, width, height: FLOOR }),
      s('rect', { class: 'below-roof', x, y: y(1), width, height: HEIGHT / most }),
      s('rect', { class: `split-${i + 1}`, x, y: y(share ?? 0), width, height: (HEIGHT * (share ?? 0)) / most },
        s('title', {}, `${name}: ${share === null ? 'no multiply-adds are counted' : percent(share)}`)),
    ];
  });
  return s('svg', { class: 'roofline', role: 'img', width: '100%', height: TOP + HEIGHT + FLOOR, 'aria-labelledby': 'roof-title roof-description' },
    s('title', { id: 'roof-title' }, 'How near each part of a step is to the peak'),
    s('desc', { id: 'roof-description' }, `A bar for each part, as wide as it is long: ${parts.map(({ name, share }) =>
      `${name} ${share === null ? 'without multiply-adds' : `${percent(share)} of the peak`}`).join(', ')}. The table below has the same numbers.`),
    bars,
    s('line', { class: 'roof', x1: 0, x2: '100%', y1: y(1), y2: y(1) }),
    s('text', { x: 0, y: y(1) - 6 }, `100 %: the peak${unit ? ` of ${unit}` : ''}`));
};

const memoryWords = (memory) =>
  memory.least_bytes !== null && h('p', {}, `To and from memory a step moves at least ${number(memory.least_bytes / 1e9)} GB: `,
    `${number(memory.least_bytes_per_second / 1e9)} GB a second`,
    memory.least_share !== null && `, ${percent(memory.least_share)} of what all threads can read`, '.');

const peakWords = ({ peak, step }) =>
  peak && h('p', {}, step.share !== null && [h('strong', {}, percent(step.share)), ' of the peak over the whole step. '],
    `The peak, measured in this run from registers alone: ${giga(peak.multiply_adds_per_second)} G multiply-adds a second`, peak.unit && ` (${peak.unit})`, '.');

export const roofline = ({ roofline: roof }) => {
  if (!roof) return h('p', {}, unknown('not computed for this run'));
  const { phases, step, missing } = roof;
  const key = (i) => s('svg', { class: 'key', width: 12, height: 12, 'aria-hidden': 'true' }, s('rect', { class: `split-${i + 1}`, width: 12, height: 12 }));
  const rows = [...phases, { name: 'the step', ...step }];
  return h('div', {}, peakWords(roof),
    phases.length > 0 && roof.peak && picture(phases, roof.peak.unit),
    table('Mean of the measured steps, and the peak', [
      { name: 'Part', head: true, cell: (part) => [phases.includes(part) && [key(phases.indexOf(part)), ' '], part.name] },
      { name: 'Milliseconds', number: true, cell: (part) => number(part.seconds * 1000) },
      { name: 'G multiply-adds a second', number: true, cell: (part) => giga(part.multiply_adds_per_second) },
      { name: 'Of the peak', number: true, cell: (part) => (part.share === null ? '–' : percent(part.share)) },
    ], rows),
    memoryWords(roof.memory),
    missing.length > 0 && h('ul', {}, missing.map((reason) => h('li', {}, unknown(reason)))),
    h('p', { class: 'note' }, 'Multiply-adds are counted by the definition of convolutions and linear layers. A part without them, such as the update, has no share.'));
};
