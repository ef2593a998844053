// `npm start`: makes the clone ready, then starts the whole system on this machine.
import { readArguments } from './arguments.js';
import { prepare } from './prepare.js';

readArguments(`usage: npm start
Starts the whole system on this machine. Its settings are environment variables, such as GATEWAY_PORT:
docs/configuration.md#npm-start.`);

prepare();
await import('./dist/src/launcher/start.js');
