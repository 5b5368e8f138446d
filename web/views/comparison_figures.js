// The published figures that users entered, which they can remove; a part of the comparison.
import { remove } from '../api.js';
import { h } from '../dom.js';
import { number } from '../format.js';
import { foreign, table } from '../parts.js';
import { takeBackButton } from '../take_back.js';

const speedOf = (figure) => (figure.unit === 'job' ? `${number(figure.seconds_per_job)} s a job` : `${number(figure.samples_per_second)} samples/s`);

const columns = (changed) => [
  { name: 'Figure', head: true, cell: (figure) => foreign(figure.id) },
  { name: 'Workload', cell: (figure) => foreign(figure.workload) },
  { name: 'Instance', cell: (figure) => (figure.instance_type ? foreign(figure.instance_type) : 'unknown') },
  { name: 'Speed', number: true, cell: speedOf },
  { name: 'Source', cell: (figure) => foreign(figure.source) },
  { name: 'Take back', cell: (figure) => takeBackButton({ name: 'Remove', label: `Remove the figure ${figure.id}`, title: 'Remove this figure?', verb: 'Remove it',
    words: `“${figure.id}”, ${speedOf(figure)}, leaves the comparison. To have it back, enter it again.`, said: 'The figure is removed.',
    act: (reason) => remove(`/v1/figures/${encodeURIComponent(figure.id)}`, { reason }), then: () => changed(figure) }) },
];

// Folded until opened; null without such figures.
export const figuresPart = (figures, changed) =>
  figures.length > 0 && h('details', { class: 'own-figures' }, h('summary', {}, `${figures.length} ${figures.length === 1 ? 'figure was' : 'figures were'} entered by users`),
    table('Published figures that users entered', columns(changed), figures));
