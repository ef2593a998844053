// A program with two configuration errors, and an open resource that would keep it alive.

import { ConfigurationError } from '../../../../src/config/environment.js';
import { startOrExplain } from '../../../../src/http/server/lifecycle.js';

setInterval(() => {}, 1000);
await startOrExplain(async () => {
  throw new ConfigurationError(['PUBLIC_URL is missing', 'SESSION_PORT must be a number']);
});
