// Client of the public API. Asks the user once for a token where the server needs one, and keeps
// it for the session of this tab only.
import { h } from './dom.js';

// A problem document of the API; `field` names the parameter at fault, if any. `detail` begins with that name, which
// a message at the field does not need.
export class ApiError extends Error {
  constructor(status, body) {
    const begin = `${body?.field}: `;
    super(body?.detail?.replace(begin, '') ?? `the server answered ${status}`);
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

// Shows a dialog; null when the user cancels it.
const askForToken = (why) =>
  new Promise((resolve) => {
    // Refuse characters that no header can carry.
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

// "/v1/runs", { limit: 5, label: ['a=b'] } -> "/v1/runs?limit=5&label=a%3Db"; empty values are left out.
export const address = (path, parameters = {}) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const each of [value].flat())
      if (each !== null && each !== undefined && each !== '') query.append(name, each);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
};

// All requests share one dialog.
let asking = null;
const newToken = (why) => {
  asking ??= askForToken(why).finally(() => {
    asking = null;
  });
  return asking;
};

const contentOf = async (answer) =>
  answer.headers.get('content-type')?.includes('json') ? answer.json() : null;

// Returns the response for reading as a stream; throws ApiError on a refusal. asks: false if the answer is not
// important enough to ask for a token.
export const open = async (method, target, { headers = {}, body, signal, asks = true } = {}) => {
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
  if (!asks || (answer.status !== 401 && answer.status !== 403)) throw refused;
  if (token() === used) {
    const given = await newToken(used ? `The server refused that token: ${refused.message}.` : 'This server needs a token.');
    if (!given) {
      if (answer.status === 401 && token() === used) forgetToken(); // the server refused it
      throw used ? refused : new ApiError(answer.status, { detail: 'This server needs a token.' });
    }
    sessionStorage.setItem(KEY, given);
    dispatchEvent(new Event('token'));
  }
  return open(method, target, { headers, body, signal });
};

const send = async (method, target, content, { headers = {}, signal, asks } = {}) => {
  const body = content === undefined ? undefined : JSON.stringify(content);
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const wanted = { Accept: 'application/json', ...type, ...headers };
  return contentOf(await open(method, target, { headers: wanted, body, signal, asks }));
};

export const get = (path, parameters, { signal, asks } = {}) => send('GET', address(path, parameters), undefined, { signal, asks });
export const post = (path, body, headers) => send('POST', path, body, { headers });
export const remove = (path, parameters) => send('DELETE', address(path, parameters));
