// Page for components, with the development build of each installed version of React.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { build } from 'vite';

const projectRoot = fileURLToPath(new URL('../../../../../', import.meta.url));
const script = fileURLToPath(new URL('page.js', import.meta.url));

interface InstalledReact {
  readonly version: string;
  /** Folder with `react` and `react-dom`. */
  readonly modules: string;
}

/** Installed version, and an older one if another tool has installed it. */
export const reacts: readonly InstalledReact[] = ['packages/client/node_modules', 'node_modules']
  .map((folder) => join(projectRoot, folder))
  .filter((modules) => ['react', 'react-dom'].every((name) => existsSync(join(modules, name))))
  .map((modules) => {
    const { version } = JSON.parse(readFileSync(join(modules, 'react', 'package.json'), 'utf8'));
    return { version, modules };
  });

/** @param html server-rendered content of the root. @returns the folder of the page */
export async function buildReactPage(t: Test, { modules }: InstalledReact, html = ''): Promise<string> {
  const root = t.testdir({
    'index.html': `<!doctype html><html lang="en"><title>Components</title><script type="module" src="/page.js"></script>
      <form id="root">${html}</form></html>`,
    'page.js': `import { pageLab } from ${JSON.stringify(script)};\nglobalThis.lab = pageLab;`,
  });
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"development"' },
    resolve: { alias: { react: join(modules, 'react'), 'react-dom': join(modules, 'react-dom') } },
    build: { minify: false },
  });
  return join(root, 'dist');
}
