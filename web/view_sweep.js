import { empty } from './dom.js';

export const title = 'Sweep';

export const show = async (root) => {
  root.append(empty('Nothing here yet.'));
};
