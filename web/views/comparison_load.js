// The comparison as the API answers it: all pages of it, the first one as soon as it is there.
import { get } from '../api.js';

// What the API understands of the address. The rest of it (order, columns, filter) is the table's.
export const PARAMETERS = ['workload', 'price', 'region', 'zone', 'price_at', 'reference', 'discount', 'price_of',
  'samples', 'epochs', 'job_seconds', 'boot_seconds', 'deadline_h', 'budget', 'hourly_value',
  'interruptions_percent', 'checkpoint_seconds', 'restart_seconds', 'utility', 'sort', 'configuration',
  'provenance', 'engine', 'provider', 'instance', 'stratum', 'precision', 'batch_size', 'margin', 'vm_spread'];

// Those that leave rows out.
export const FILTERS = ['engine', 'provider', 'instance', 'stratum', 'precision', 'batch_size', 'provenance'];

export const question = (state) =>
  Object.fromEntries(PARAMETERS.filter((name) => name in state).map((name) => [name, state[name]]));

const FIRST = 200; // answered at once
export const PAGE = 1000; // what the API gives at most

// Calls onPage({ answer, rows, total }) after each page, with all rows so far. Between two pages
// runs may end and rows change places: a row that comes twice is kept once.
export const load = async (asked, { signal, onPage }) => {
  const rows = new Map();
  let answer = null;
  for (let offset = 0, limit = FIRST; ; offset += limit, limit = PAGE) {
    const page = await get('/v1/comparison', { ...asked, limit, offset }, { signal });
    answer ??= page;
    for (const row of page.rows) rows.set(row.id, row);
    const total = page.rows.length + page.hidden.by_page;
    const done = page.rows.length === 0 || offset + limit >= total;
    onPage({ answer, rows: [...rows.values()], total, done });
    if (done) return;
  }
};

// What there is to choose from, for the lists of the fields. Without them one can still type.
export const choices = async (signal) => {
  const answers = await Promise.allSettled([
    get('/v1/figures', {}, { signal }),
    get('/v1/runs', { limit: 200 }, { signal }),
    get('/v1/feeds', {}, { signal }),
  ]);
  const [figures, runs, feeds] = answers.map((each) => (each.status === 'fulfilled' ? each.value : {}));
  const sorted = (list) => [...new Set(list)].sort();
  return {
    workloads: sorted([...(runs.runs ?? []).map((run) => run.spec.workload),
      ...(figures.figures ?? []).map((figure) => figure.workload)]),
    regions: sorted([...(feeds.feeds ?? []).flatMap((feed) => feed.scopes.map((scope) => scope.scope)),
      ...(runs.runs ?? []).map((run) => run.region).filter(Boolean)]),
  };
};
