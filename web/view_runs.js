import { empty } from './dom.js';

export const title = 'Runs';

export const show = async (root) => {
  root.append(empty('Nothing here yet.'));
};
