// Starts the session service as the program of a process of its own.

import { runService, startOrExplain } from '@tollgate/shared/http/lifecycle.js';
import { openStandardOutput } from '@tollgate/shared/http/logger.js';
import { openSessionService } from './service.js';

await startOrExplain(() =>
  openSessionService(process.env, { output: openStandardOutput(), run: runService }),
);
