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
export const forgetToken = () => sessionStorage.removeItem(KEY);

// A dialog; null when it is closed without a word.
const askForToken = (why) =>
  new Promise((resolve) => {
    const input = h('input', { type: 'password', id: 'token', autocomplete: 'off', required: true });
    const dialog = h('dialog', { class: 'token', 'aria-labelledby': 'token-title' },
      h('form', { method: 'dialog', onsubmit: () => dialog.close(input.value) },
        h('h2', { id: 'token-title' }, 'A token is needed'),
        h('p', {}, why),
        h('label', { for: 'token' }, 'Token'), input,
        h('p', {}, h('button', { value: 'ok' }, 'Go on'),
          h('button', { type: 'button', onclick: () => dialog.close('') }, 'Cancel'))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue && dialog.returnValue !== 'ok' ? dialog.returnValue : null);
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

const send = async (method, target, body, signal) => {
  const headers = { Accept: 'application/json' };
  if (token()) headers.Authorization = `Bearer ${token()}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(target, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, { detail: 'The server cannot be reached.' });
  }
  const content = answer.headers.get('content-type')?.includes('json') ? await answer.json() : null;
  if (answer.status === 401 || answer.status === 403) {
    const given = await askForToken(content?.detail ?? 'The server asks who you are.');
    if (given) {
      sessionStorage.setItem(KEY, given);
      return send(method, target, body, signal);
    }
  }
  if (!answer.ok) throw new ApiError(answer.status, content);
  return content;
};

export const get = (path, parameters, { signal } = {}) => send('GET', address(path, parameters), undefined, signal);
export const post = (path, body) => send('POST', path, body);
export const remove = (path) => send('DELETE', path);
