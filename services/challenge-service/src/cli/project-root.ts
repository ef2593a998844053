// The folder that relative paths of the configuration start from.

import { fileURLToPath } from 'node:url';

/** Root of the project, five levels above the folder of the compiled commands. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
