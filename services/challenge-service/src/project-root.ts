// The folder that relative paths of the configuration start from.

import { fileURLToPath } from 'node:url';

/** Root of the project, four levels above the compiled service. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
