// Reads the project's source files and their imports.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { projectRoot } from '../launcher/local-environment.js';

/** A source file. */
export interface SourceFile {
  /** Relative to the project's root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Project files (`shared/src/pow/difficulty.ts`), and package specifiers (`node:fs`, `fastify`). */
  readonly imports: readonly string[];
}

const folders = [
  'shared',
  'packages/fastify',
  'services/challenge-service',
  'services/session-service',
  'packages/client',
  'packages/verify',
  'packages/session',
  'tools',
  'tests/support',
  'lab',
];
const parts = ['src', 'extensions', 'test'];
const roots = [...folders.flatMap((folder) => parts.map((part) => `${folder}/${part}`)), 'tests'];

const statements =
  /^(?:import|export)\s+(?:type\s)?([^'";]*?)\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm;

/** Every TypeScript file of the project, ordered by path within each folder. */
export function readSources(): SourceFile[] {
  return roots.flatMap((folder) => listFiles(folder, /\.ts$/)).map(readSource);
}

/** Matching files below a folder, in order; none if the folder does not exist. */
export function listFiles(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => pattern.test(path))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(projectRoot, path), 'utf8');
  const imports = [...text.matchAll(statements)].flatMap(([, names = '', from, bare, dynamic]) => {
    const target = resolveImport(path, from ?? bare ?? dynamic ?? '');
    return ENTRY_POINT.test(target) ? filesBehind(target, names) : [target];
  });
  return { path, text, imports };
}

const ENTRY_POINT = /^shared\/src\/[a-z-]+\.ts$/;

/** The files from which an entry point of `shared` exports the given names. */
function filesBehind(entryPoint: string, names: string): string[] {
  const text = readFileSync(join(projectRoot, entryPoint), 'utf8');
  const wanted = new Set(names.match(/\w+/g));
  return [...text.matchAll(statements)]
    .filter(([, exported = '']) =>
      exported.match(/\w+/g)?.some((name) => name !== 'type' && wanted.has(name)),
    )
    .map(([, , from = '']) => resolveImport(entryPoint, from));
}

/** The file of an import; a specifier of an outside package stays the same. */
function resolveImport(path: string, specifier: string): string {
  if (specifier.startsWith('.')) {
    return posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts');
  }
  return specifier
    .replace(/^@tollgate\/tests\/(.*)\.js$/, 'tests/$1.ts')
    .replace(/^@tollgate\/fastify$/, 'packages/fastify/src/tollgate.ts')
    .replace(/^@tollgate\/verify$/, 'packages/verify/src/verify.ts')
    .replace(/^@tollgate\/session$/, 'packages/session/src/session.ts')
    .replace(/^@tollgate\/shared\/([a-z-]+)$/, 'shared/src/$1.ts')
    .replace(/^@tollgate\/test-support\/(.*)\.js$/, 'tests/support/src/$1.ts')
    .replace(/^#client\/(.*)\.js$/, 'packages/client/src/$1.ts')
    .replace(/^@tollgate\/client\/([a-z]+)$/, 'packages/client/src/$1.ts')
    .replace(/^@tollgate\/tools\/(.*)\.js$/, 'tools/src/$1.ts')
    .replace(/^@tollgate\/session-service\/test\/(.*)\.js$/, 'services/session-service/test/support/$1.ts')
    .replace(/^@tollgate\/challenge-service\/(extensions\/.*)\.js$/, 'services/challenge-service/$1.ts')
    .replace(/^@tollgate\/(challenge|session)-service\/(.*)\.js$/, 'services/$1-service/src/$2.ts');
}

/** The paths of a file and of all its direct and indirect imports. */
export function reachableFrom(path: string, sources: readonly SourceFile[]): Set<string> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set<string>();
  const visit = (at: string) => {
    const source = byPath.get(at);
    if (source === undefined || reached.has(at)) return;
    reached.add(at);
    for (const target of source.imports) visit(target);
  };
  visit(path);
  return reached;
}
