// Loads the comparison: all pages, showing the first one at once.
import { get } from '../api.js';

// Parameters of the API. The others in the address (order, columns, filter) belong to the table.
export const PARAMETERS = ['workload', 'price', 'region', 'zone', 'price_at', 'reference', 'discount', 'price_of',
  'samples', 'epochs', 'job_seconds', 'boot_seconds', 'deadline', 'deadline_h', 'budget', 'hourly_value',
  'interruptions_percent', 'checkpoint_seconds', 'restart_seconds', 'utility', 'sort', 'configuration',
  'provenance', 'engine', 'provider', 'instance_type', 'stratum', 'precision', 'batch_size', 'label', 'sender',
  'margin', 'vm_spread'];

// Parameters that filter rows.
export const FILTERS = ['engine', 'provider', 'instance_type', 'stratum', 'precision', 'batch_size', 'label', 'sender', 'provenance'];

export const question = (state) =>
  Object.fromEntries(PARAMETERS.filter((name) => name in state).map((name) => [name, state[name]]));

const FIRST = 200; // rows of the first page
export const PAGE = 1000; // most rows in one answer of the API

// Calls onPage({ answer, rows, total }) after each page, with all rows so far. Runs may
// end and reorder rows between two pages, so duplicates are dropped.
export const load = async (asked, { signal, onPage }) => {
  const rows = new Map();
  let answer = null;
  for (let offset = 0, limit = FIRST; ; offset += limit, limit = PAGE) {
    const page = await get('/v1/comparison', { ...asked, fields: 'all', limit, offset }, { signal });
    answer ??= page;
    for (const row of page.rows) rows.set(row.id, row);
    const total = page.rows.length + page.hidden.by_page;
    const done = page.rows.length === 0 || offset + limit >= total;
    onPage({ answer, rows: [...rows.values()], total, done });
    if (done) return;
  }
};

// Choices for the lists of the fields; without them the user can still type.
export const choices = async (signal) => {
  const answers = await Promise.allSettled([
    get('/v1/figures', {}, { signal }),
    get('/v1/runs', { limit: 200 }, { signal }),
    get('/v1/feeds', {}, { signal }),
  ]);
  const [figures, runs, feeds] = answers.map((each) => (each.status === 'fulfilled' ? each.value : {}));
  const sorted = (list) => [...new Set(list)].sort();
  return {
    figures: (figures.figures ?? []).filter((figure) => !figure.shipped),
    workloads: sorted([...(runs.runs ?? []).map((run) => run.spec.workload),
      ...(figures.figures ?? []).map((figure) => figure.workload)]),
    regions: sorted([...(feeds.feeds ?? []).flatMap((feed) => feed.scopes.map((scope) => scope.scope)),
      ...(runs.runs ?? []).map((run) => run.region).filter(Boolean)]),
  };
};
