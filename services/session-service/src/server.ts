// Starts the session service as a program of its own.

import { openStandardOutput, runService, startOrExplain } from '@tollgate/shared/http';
import { openSessionService } from './service.js';

// Not awaited at the top level, which a bundle in CommonJS cannot have.
void startOrExplain(() => openSessionService(process.env, { output: openStandardOutput(), run: runService }));
