// Taking back a mistake: a button, and a dialog that asks for the reason.
import { announce, h } from './dom.js';
import { moment } from './format.js';
import { foreign } from './parts.js';

// Asks for the reason and calls act(reason). While the server refuses, the dialog stays and shows the refusal.
// Returns whether it was done.
const askWhy = ({ title, words, verb, act }) =>
  new Promise((resolve) => {
    let done = false;
    const refused = h('p', { class: 'wrong', id: 'why-refused', role: 'alert' });
    const input = h('input', { id: 'why', name: 'why', required: true, maxlength: 500, pattern: '.*\\S.*', autocomplete: 'off',
      title: 'A reason, at most 500 characters', 'aria-describedby': 'why-hint why-refused' });
    const sure = h('button', { class: 'primary' }, verb);
    const send = async (event) => {
      event.preventDefault();
      sure.disabled = true;
      refused.textContent = '';
      input.removeAttribute('aria-invalid');
      try {
        await act(input.value.trim());
        done = true;
        dialog.close();
      } catch (error) {
        refused.textContent = error.message;
        input.setAttribute('aria-invalid', 'true');
        input.focus();
      }
      sure.disabled = false;
    };
    const dialog = h('dialog', { class: 'ask', 'aria-labelledby': 'why-title', 'aria-describedby': 'why-words' },
      h('form', { method: 'dialog', onsubmit: send },
        h('h2', { id: 'why-title' }, title),
        h('p', { id: 'why-words' }, words),
        h('label', { for: 'why' }, 'Reason'), input,
        h('p', { class: 'hint', id: 'why-hint' }, 'For those who look later. It is kept in the audit.'), refused,
        h('p', { class: 'buttons' }, sure, h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(done);
    });
    document.body.append(dialog);
    dialog.showModal();
  });

// A button that asks and does: { name, label, title, words, verb, said, act, then }. The label is for screen
// readers, because twenty buttons of one name tell them nothing; then() redraws what has changed.
export const takeBackButton = ({ name, label, said, then, ...question }) => {
  const button = h('button', { type: 'button', class: 'take-back', 'aria-label': label, onclick: async () => {
    if (!(await askWhy(question))) return void button.focus();
    await then();
    announce(said);
  } }, name);
  return button;
};

// "2026-01-02 03:04 by ann: the wrong branch"
export const takenBack = ({ at, by, reason }) =>
  [moment(at), by && [' by ', foreign(by)], reason && [': ', foreign(reason)]];
