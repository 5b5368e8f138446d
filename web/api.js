// The public API, for whoever shows it. Where a token is wanted it is asked for once, and kept
// for this tab's session only.
import { h } from './dom.js';

// What the API refused: `field` names what is wrong, where it says so.
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.detail ?? `the server answered ${status}`);
    this.status = status;
    this.field = body?.field ?? null;
    this.allowed = body?.allowed ?? null;
  }
}

const KEY = 'pennyworth-token';

export const token = () => sessionStorage.getItem(KEY);
export const forgetToken = () => {
  sessionStorage.removeItem(KEY);
  dispatchEvent(new Event('token'));
};

// A dialog; null when it is closed without a word.
const askForToken = (why) =>
  new Promise((resolve) => {
    // What no header can carry is refused here, in the field.
    const input = h('input', { type: 'password', id: 'token', autocomplete: 'off', required: true,
      pattern: '\\s*[!-~]+\\s*', title: 'Letters, digits and signs of ASCII, no blanks' });
    let given = null;
    const dialog = h('dialog', { class: 'token', 'aria-labelledby': 'token-title', 'aria-describedby': 'token-why' },
      h('form', { method: 'dialog', onsubmit: () => {
        given = input.value.trim() || null;
      } },
        h('h2', { id: 'token-title' }, 'A token is needed'),
        h('p', { id: 'token-why' }, why),
        h('label', { for: 'token' }, 'Token'), input,
        h('p', { class: 'hint' }, 'Kept for this tab only, until it is closed.'),
        h('p', { class: 'buttons' }, h('button', { class: 'primary' }, 'Go on'),
          h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(given);
    });
    document.body.append(dialog);
    dialog.showModal();
  });

// "/v1/runs", { limit: 5, label: ['a:b'] } -> "/v1/runs?limit=5&label=a%3Ab"; empty values are left out.
export const address = (path, parameters = {}) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const each of [value].flat())
      if (each !== null && each !== undefined && each !== '') query.append(name, each);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
};

// One dialog, however many requests wait for it.
let asking = null;
const newToken = (why) => {
  asking ??= askForToken(why).finally(() => {
    asking = null;
  });
  return asking;
};

const contentOf = async (answer) =>
  answer.headers.get('content-type')?.includes('json') ? answer.json() : null;

// The answer as it arrives, for who reads it as a stream; what was refused is thrown.
export const open = async (method, target, { headers = {}, body, signal } = {}) => {
  const used = token();
  const credentials = used ? { Authorization: `Bearer ${used}` } : {};
  let answer;
  try {
    answer = await fetch(target, { method, headers: { ...headers, ...credentials }, body, signal });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, { detail: 'The server cannot be reached.' });
  }
  if (answer.ok) return answer;
  const content = await contentOf(answer);
  const refused = new ApiError(answer.status, content);
  if (answer.status !== 401 && answer.status !== 403) throw refused;
  if (token() === used) {
    const given = await newToken(used ? `That token did not do: ${refused.message}.` : 'This server answers only those who have a token.');
    if (!given) {
      if (answer.status === 401 && token() === used) forgetToken(); // it is worth nothing
      throw used ? refused : new ApiError(answer.status, { detail: 'This server answers only those who have a token.' });
    }
    sessionStorage.setItem(KEY, given);
    dispatchEvent(new Event('token'));
  }
  return open(method, target, { headers, body, signal });
};

const send = async (method, target, content, { headers = {}, signal } = {}) => {
  const body = content === undefined ? undefined : JSON.stringify(content);
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const wanted = { Accept: 'application/json', ...type, ...headers };
  return contentOf(await open(method, target, { headers: wanted, body, signal }));
};

export const get = (path, parameters, { signal } = {}) => send('GET', address(path, parameters), undefined, { signal });
export const post = (path, body, headers) => send('POST', path, body, { headers });
export const remove = (path) => send('DELETE', path);
