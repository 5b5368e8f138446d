// A button at the foot of the page that forgets the token, while there is one.
import { forgetToken, token } from './api.js';
import { announce, h } from './dom.js';

const button = h('button', { type: 'button', class: 'quiet', onclick: () => {
  forgetToken();
  document.querySelector('main').focus();
  announce('The token is forgotten.');
} }, 'Forget the token');
const look = () => {
  button.hidden = token() === null;
};

document.querySelector('footer p').append(' ', button);
addEventListener('token', look);
look();
