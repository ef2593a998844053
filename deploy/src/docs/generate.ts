// `npm run docs`: generates pages of the documentation, and the client's types, from the code.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResults, reliabilityPage } from '../drills/reliability-page.js';
import { projectRoot } from '../launcher/local-environment.js';
import { auditPage } from './audit-page.js';
import { configurationPage } from './configuration-page.js';
import { errorsPage } from './errors-page.js';
import { openApiDocuments } from './openapi-documents.js';
import { wireBodies } from './wire-bodies.js';

const biome = join(projectRoot, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');

write('docs/audit.md', auditPage());
write('docs/configuration.md', configurationPage());
write('docs/errors.md', errorsPage());
write('docs/reliability.md', reliabilityPage(readResults()));
write('client/src/wire.ts', wireBodies());
mkdirSync(join(projectRoot, 'docs/openapi'), { recursive: true });
for (const [service, document] of Object.entries(await openApiDocuments())) {
  const path = `docs/openapi/${service}.json`;
  write(path, format(path, JSON.stringify(document, null, 2)));
}

function write(path: string, text: string): void {
  writeFileSync(join(projectRoot, path), text);
  console.log(path);
}

/** The text as the formatter writes it, which the tests run over every file. */
function format(path: string, text: string): string {
  const args = [biome, 'format', `--stdin-file-path=${path}`];
  return execFileSync(process.execPath, args, { cwd: projectRoot, input: text, encoding: 'utf8' });
}
