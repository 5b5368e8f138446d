// The events of a run or a sweep. EventSource cannot send a token, so this reads the stream itself.
// Like EventSource it reconnects, and sends the id of the last event it has seen.
import { open } from './api.js';

const FINAL = new Set(['finished', 'failed', 'cancelled', 'interrupted', 'preempted']);
const SILENCE_MS = 20000; // the server sends something at least every 15 s
const FIRST_MS = 500;
const LONGEST_MS = 10000;

export const isFinal = (state) => FINAL.has(state);

// "id: 2-7\nevent: progress\ndata: {}" -> { id, event, data }; null for a comment.
const eventOf = (block) => {
  const event = {};
  for (const line of block.split('\n')) {
    const [, name, value] = line.match(/^(id|event|data): ?(.*)$/) ?? [];
    if (name) event[name] = value;
  }
  return event.data === undefined ? null : { ...event, data: JSON.parse(event.data) };
};

// Calls take(event) for each event, until the stream ends or is silent for too long.
const read = async (body, take, abort) => {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const watchdog = setTimeout(abort, SILENCE_MS);
    const { value, done } = await reader.read().finally(() => clearTimeout(watchdog));
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    for (const event of blocks.map(eventOf)) if (event) take(event);
  }
};

// A pause that ends early when the browser reports that it is online.
const pause = (milliseconds, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
  });

// Statuses that a retry would not change.
const isHopeless = (error) => error.status >= 400 && error.status < 500 && error.status !== 429;

// Follows the events of a path, and calls these, none after stop():
//   onEvent(event, data)   true: that was the last
//   onTrouble(error, seconds)   connection lost; retries after `seconds`, or never if null;
//                      onTrouble(null) once reconnected
export const followEvents = (path, { onEvent, onTrouble }) => {
  const stopped = new AbortController();
  let last = null; // id of the last event
  let lost = 0; // connections in a row without an event
  let troubled = false;
  let ended = false;

  const take = ({ id: seen, event, data }) => {
    if (stopped.signal.aborted || ended) return;
    last = seen ?? last;
    lost = 0;
    if (troubled) onTrouble?.(null);
    troubled = false;
    ended = Boolean(onEvent(event, data));
  };

  const once = async () => {
    const connection = new AbortController();
    const abort = () => connection.abort();
    stopped.signal.addEventListener('abort', abort);
    const headers = { Accept: 'text/event-stream', ...(last && { 'Last-Event-ID': last }) };
    try {
      const answer = await open('GET', path, { headers, signal: connection.signal });
      await read(answer.body, take, abort);
    } finally {
      stopped.signal.removeEventListener('abort', abort);
    }
  };

  const go = async () => {
    while (!ended && !stopped.signal.aborted) {
      const error = await once().then(() => new Error('The server ended the connection.'), (why) => why);
      if (ended || stopped.signal.aborted) return;
      troubled = true;
      if (isHopeless(error)) return void onTrouble?.(error, null);
      const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** lost++) * (0.75 + Math.random() / 2);
      onTrouble?.(new Error('The connection to the server is lost.'), wait / 1000);
      await pause(wait, stopped.signal);
    }
  };
  go();
  return () => stopped.abort();
};

// Follows a run to its end; onTrouble as above:
//   onState(state)     { state, at, reason }, each state once
//   onProgress(progress)
//   onEnd(state)       after onState of a final one
export const follow = (id, { onState, onProgress, onEnd, onTrouble }) =>
  followEvents(`/v1/runs/${id}/events`, { onTrouble, onEvent: (event, data) => {
    if (event === 'progress') onProgress?.(data);
    if (event !== 'state') return false;
    onState?.(data);
    if (!isFinal(data.state)) return false;
    onEnd?.(data);
    return true;
  } });
