// A request that must be carried out once, however often it is sent: its key is kept until the
// answer is here, so a second click, a lost connection or a reload asks for the same thing again.
import { post } from './api.js';

const KEY = 'pennyworth-unanswered';

// crypto.randomUUID is only there on HTTPS and on this machine itself.
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

// What was sent and not answered: { path, body, key }, the body as text; or null.
const unanswered = () => JSON.parse(sessionStorage.getItem(KEY) ?? 'null');

// Whether this very request was sent before, and nobody knows what became of it.
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
