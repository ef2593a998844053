// Starts the challenge service as the program of a process of its own.

import { runService, startOrExplain } from '@tollgate/shared/http/lifecycle.js';
import { openStandardOutput } from '@tollgate/shared/http/logger.js';
import { openChallengeService } from './service.js';

await startOrExplain(() =>
  openChallengeService(process.env, { output: openStandardOutput(), run: runService }),
);
