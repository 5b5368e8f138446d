// A first page over the public API: the newest runs, refreshed while one is under way.
const cell = (text, className) => {
  const element = document.createElement('td');
  element.textContent = text;
  if (className) element.className = className;
  return element;
};

// As many digits as the interval allows, and the interval.
const rate = (run) => {
  const source = run.summary ?? run.progress;
  if (!source) return '–';
  const range = run.summary?.interval;
  const width = range ? range.high - range.low : source.samples_per_second / 10;
  const digits = Math.min(3, Math.max(0, 1 - Math.floor(Math.log10(width || 0.01))));
  const text = (number) => number.toFixed(digits);
  return range
    ? `${text(source.samples_per_second)} (${text(range.low)}–${text(range.high)})`
    : text(source.samples_per_second);
};

const row = (run) => {
  const element = document.createElement('tr');
  const link = document.createElement('a');
  link.href = `/v1/runs/${run.id}`;
  link.textContent = run.id;
  const name = document.createElement('td');
  name.append(link);
  element.append(
    name,
    cell(run.state, run.state),
    cell(run.spec.workload),
    cell(run.spec.engine),
    cell(String(run.spec.batch_size), 'number'),
    cell(rate(run), 'number'),
    cell(run.validity?.level ?? '–', run.validity?.level),
    cell(run.created_at ? new Date(run.created_at).toLocaleString() : '–'),
    cell(run.reason ?? ''),
  );
  return element;
};

const show = async () => {
  const status = document.querySelector('#status');
  let again = 5000;
  try {
    const answer = await fetch('/v1/runs?limit=50', { headers: { Accept: 'application/json' } });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.detail);
    document.querySelector('tbody').replaceChildren(...body.runs.map(row));
    status.textContent = body.runs.length ? '' : 'No runs yet. Post one as the README shows.';
    if (body.runs.some((run) => run.state === 'running' || run.state === 'queued')) again = 1000;
  } catch (problem) {
    status.textContent = `The runs cannot be shown: ${problem.message}`;
  }
  setTimeout(show, again);
};

show();
