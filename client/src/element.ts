// The form element: importing this defines <tollgate-challenge>.
import './element/define.js';

export { TollgateChallenge } from './element/tollgate-challenge.js';
