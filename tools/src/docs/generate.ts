// `npm run docs`: generates documentation pages, client types, the dashboard and chart files from the code.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dashboard } from '../dashboard/dashboard.js';
import { projectRoot } from '../launcher/local-environment.js';
import { auditPage } from './audit-page.js';
import { chartVariables } from './chart-variables.js';
import { configurationPage } from './configuration-page.js';
import { errorsPage } from './errors-page.js';
import { openApiDocuments } from './openapi-documents.js';
import { openApiPage } from './openapi-page.js';
import { personalDataPage } from './personal-data-page.js';
import { prebuiltPage } from './prebuilt-page.js';
import { wireFiles } from './wire-bodies.js';

const biome = join(projectRoot, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');

write('docs/audit.md', auditPage());
write('docs/client/prebuilt.md', prebuiltPage());
write('docs/configuration.md', configurationPage());
write('docs/errors.md', errorsPage());
write('docs/personal-data.md', personalDataPage());
for (const [path, text] of wireFiles()) write(path, text);
write('deploy/grafana/tollgate.json', dashboard());
write('deploy/helm/tollgate/files/variables.json', chartVariables());
for (const [service, document] of Object.entries(await openApiDocuments())) {
  write(`docs/openapi/${service}.yaml`, openApiPage(document));
}

/** @param content a text, or an object for JSON */
function write(path: string, content: string | object): void {
  const file = join(projectRoot, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : format(path, JSON.stringify(content, null, 2)));
  console.log(path);
}

/** The text in the formatter's style, which the tests check in every file. */
function format(path: string, text: string): string {
  const args = [biome, 'format', `--stdin-file-path=${path}`];
  return execFileSync(process.execPath, args, { cwd: projectRoot, input: text, encoding: 'utf8' });
}
