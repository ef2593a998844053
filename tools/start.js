// `npm start`: makes the clone ready, then starts the whole system on this machine.
import { prepare } from './prepare.js';

prepare();
await import('./dist/src/launcher/start.js');
