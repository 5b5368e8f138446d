// The steps of a run, read page by page into typed arrays, so that hundreds of thousands stay fast.
import { get } from './api.js';

const PAGE = 10000;

const grown = (array, length) => {
  if (length <= array.length) return array;
  const larger = new array.constructor(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
};

// { length, seconds, loss, measured, more }: more() reads the steps that were added since.
export const traceOf = (id, signal) => {
  const trace = { length: 0, seconds: new Float64Array(1024), loss: new Float64Array(1024), measured: new Uint8Array(1024) };
  const take = (steps) => {
    const length = trace.length + steps.length;
    for (const name of ['seconds', 'loss', 'measured']) trace[name] = grown(trace[name], length);
    steps.forEach((step, i) => {
      trace.seconds[trace.length + i] = step.seconds;
      trace.loss[trace.length + i] = step.loss;
      trace.measured[trace.length + i] = step.measured ? 1 : 0;
    });
    trace.length = length;
  };
  trace.more = async (onPage = () => {}) => {
    for (;;) {
      const { steps } = await get(`/v1/runs/${id}/steps`, { from: trace.length, limit: PAGE }, { signal });
      take(steps);
      if (steps.length) onPage();
      if (steps.length < PAGE) return trace;
    }
  };
  return trace;
};

// Of the steps from..to - 1: { from, to, measured, low, median, high, loss }.
const groupOf = (trace, from, to) => {
  const sorted = Float64Array.from(trace.seconds.subarray(from, to)).sort();
  let loss = 0;
  for (let i = from; i < to; i++) loss += trace.loss[i] / (to - from);
  return { from, to, measured: trace.measured[from] === 1, low: sorted[0], median: sorted[sorted.length >> 1], high: sorted[sorted.length - 1], loss };
};

// Index of the first measured step.
export const firstMeasured = (trace) => {
  const at = trace.measured.subarray(0, trace.length).indexOf(1);
  return at < 0 ? trace.length : at;
};

// Index after the last measured step; a step under way at the end is stored but not measured.
export const endMeasured = (trace) => {
  const at = trace.measured.subarray(0, trace.length).lastIndexOf(1);
  return at < 0 ? trace.length : at + 1;
};

// The trace in at most `most` groups of steps. No group mixes measured and other steps.
export const groups = (trace, most) => {
  const begin = firstMeasured(trace);
  const stop = endMeasured(trace);
  const size = Math.max(1, Math.ceil(trace.length / most));
  const result = [];
  for (const [first, end] of [[0, begin], [begin, stop], [stop, trace.length]])
    for (let from = first; from < end; from += size) result.push(groupOf(trace, from, Math.min(end, from + size)));
  return result;
};

// Indices of the measured steps that the summary calls outliers.
export const outliers = (trace, { below_seconds: below, above_seconds: above }) => {
  const found = [];
  for (let i = 0; i < trace.length; i++)
    if (trace.measured[i] && (trace.seconds[i] < below || trace.seconds[i] > above)) found.push(i);
  return found;
};
