// Sends a request that the server must carry out once. It keeps the Idempotency-Key until the answer
// arrives, so that a second click, a lost connection or a reload repeats the same request.
import { post } from './api.js';

const KEY = 'pennyworth-unanswered';

// crypto.randomUUID exists only on HTTPS and on localhost.
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

// The request without an answer: { path, body, key }, the body as text; or null.
const unanswered = () => JSON.parse(sessionStorage.getItem(KEY) ?? 'null');

// Whether the same request was sent before and its answer never arrived.
export const isUnanswered = (path, body) => {
  const before = unanswered();
  return before !== null && before.path === path && before.body === JSON.stringify(body);
};

const isAnswer = (error) => error.status > 0 && error.status < 500;

export const postOnce = async (path, body) => {
  const key = isUnanswered(path, body) ? unanswered().key : newKey();
  sessionStorage.setItem(KEY, JSON.stringify({ path, body: JSON.stringify(body), key }));
  try {
    const made = await post(path, body, { 'Idempotency-Key': key });
    sessionStorage.removeItem(KEY);
    return made;
  } catch (error) {
    if (isAnswer(error)) sessionStorage.removeItem(KEY);
    throw error;
  }
};
