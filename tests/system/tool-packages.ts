// Packages that the test tools fetch besides the dependencies: Helm, and the types of Kubernetes and Grafana.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile } from '@tollgate/test-support/compiler.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';

const folder = join(projectRoot, 'node_modules', '.tollgate-tools');

/** The Helm program. */
export const helm = join(folder, 'helm', 'helm');

/** The reason why tests that require these packages are skipped, or false. */
export const toolsMissing = existsSync(helm)
  ? false
  : 'not tested: npm test fetches Helm and the types of Kubernetes';

/** Imports a file of one of the packages, unknown to the compiler. @param path the package and the file in it */
// biome-ignore lint/suspicious/noExplicitAny: it has no types here
export function importTool(path: string): Promise<any> {
  return import(pathToFileURL(join(folder, 'node_modules', path)).href);
}

/**
 * Compares values with types of the packages. A property missing in the type is a mistake.
 * @param typed the name of a type, such as `import('kubernetes-models/apps/v1').IDeployment`, and a value for JSON
 * @returns the compiler's output, empty without mistakes
 */
export function compareWithTypes(
  t: Pick<Test, 'teardown'>,
  typed: readonly (readonly [type: string, value: unknown])[],
): string {
  const place = tempDir(t);
  const values = typed.map(
    ([type, value], index) => `export const value${index}: ${type} = ${JSON.stringify(value, null, 1)};\n`,
  );
  writeFileSync(join(place, 'values.ts'), values.join(''));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    types: [],
    module: 'preserve',
    moduleResolution: 'bundler',
    paths: { '*': [join(folder, 'node_modules', '*')] },
  };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['values.ts'] }));
  return compile(['-p', place], place);
}
