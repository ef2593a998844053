// Logs lines, and exits before their next flush.

import { openStandardOutput } from '../../../../src/http/observability/log-output.js';
import { createLogger } from '../../../../src/http/observability/logger.js';

const logger = createLogger({ name: 'test', level: 'info' }, openStandardOutput());
for (let line = 0; line < 1000; line++) logger.info({ line }, 'x'.repeat(200));
process.exit(0);
