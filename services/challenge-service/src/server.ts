// Starts the challenge service as a program of its own.

import { openStandardOutput, runService, startOrExplain } from '@tollgate/shared/http';
import { openChallengeService } from './service.js';

// Not awaited at the top level, which a bundle in CommonJS cannot have.
void startOrExplain(() =>
  openChallengeService(process.env, { output: openStandardOutput(), run: runService }),
);
