// A program with two mistakes in its configuration, and something open that would keep it alive.

import { ConfigurationError } from '../../../../src/config/environment.js';
import { startOrExplain } from '../../../../src/http/server/lifecycle.js';

setInterval(() => {}, 1000);
await startOrExplain(async () => {
  throw new ConfigurationError(['PUBLIC_URL is missing', 'SESSION_PORT must be a number']);
});
