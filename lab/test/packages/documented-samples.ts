// Every package sample of README and docs, as files of an outside project.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeBlocks } from '@tollgate/tests/docs/markdown.js';
import { readProjectFile } from '@tollgate/tests/docs/project-file.js';
import { listFiles } from '@tollgate/tools/docs/source-files.js';

/** Declarations that the samples of a page leave to the reader. */
const pageGlobals = `
import type { ChallengeController } from '@tollgate/client/challenge';
import type { TollgateChallenge } from '@tollgate/client/element';
import type { Session } from '@tollgate/client/session';
import type { ReactElement } from 'react';

declare global {
  const form: HTMLFormElement;
  const button: HTMLButtonElement;
  const progress: HTMLProgressElement;
  const problem: HTMLElement;
  const image: HTMLImageElement;
  const answer: HTMLInputElement;
  const another: HTMLButtonElement;
  const effort: HTMLButtonElement;
  const expired: HTMLElement;
  const element: TollgateChallenge;
  const challenge: ChallengeController;
  const session: Session;
  const createSession: typeof import('@tollgate/client/session').createSession;
  const email: string;
  const password: string;
  const code: string;
  const id: string;
  function show(): void;
  function tell(text: string, reason?: unknown): void;
  function showRefusal(body: unknown): void;
  function Profile(): ReactElement;
}
`;

const pages = () => [
  'README.md',
  'packages/fastify/README.md',
  'packages/client/README.md',
  'packages/verify/README.md',
  'packages/session/README.md',
  ...listFiles('docs', /\.md$/).filter((path) => !stacks.test(path)),
];

/** The examples of other frameworks, which other tests build. */
const stacks =
  /^docs\/(examples|stacks|client)\/(angular|express|hono|next|sveltekit|nuxt|astro|react-router|nestjs)\b/;

/** The programs of docs/examples that a compiler without plugins can read; Vue and Svelte are built in other tests. */
const programs = () =>
  listFiles('docs/examples', /^(?!.*(?:svelte|vue)-form|.*vite\.config).*\.(js|tsx)$/).filter(
    (path) => !stacks.test(path),
  );

const usesPackage = /@tollgate\/|\b(session|challenge|element\.controller|createSession)\b[.(]/;

/** Paths of the files, from the project's folder. */
interface SampleFiles {
  /** Compiled strictly. */
  readonly typed: readonly string[];
  /** JavaScript without types: its parameters have any type. */
  readonly untyped: readonly string[];
}

/** Writes the samples into a folder with the packages installed. */
export function writeSamples(folder: string): SampleFiles {
  const typed: string[] = [];
  const untyped: string[] = [];
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const isTyped = /\.tsx?$/.test(path);
    writeFileSync(join(folder, path), isTyped ? text : withAny(text));
    (isTyped ? typed : untyped).push(path);
  };
  for (const page of pages()) {
    const text = readProjectFile(page);
    for (const language of ['js', 'jsx', 'ts', 'tsx']) {
      const blocks = codeBlocks(text, language).filter((code) => usesPackage.test(code));
      for (const [at, code] of blocks.entries()) {
        write(`pages/${page.replaceAll('/', '-')}-${at + 1}.${language}`, complete(code));
      }
    }
    const scripts = codeBlocks(text, 'html').flatMap((html) =>
      [...html.matchAll(/<script type="module">([\s\S]*?)<\/script>/g)].map(([, code = '']) => code),
    );
    for (const [at, code] of scripts.entries())
      write(`pages/${page.replaceAll('/', '-')}-html-${at + 1}.js`, code);
  }
  for (const path of programs()) write(path.replace(/^docs\//, ''), readProjectFile(path));
  writeFileSync(join(folder, 'page-globals.d.ts'), pageGlobals);
  return { typed: ['page-globals.d.ts', ...typed], untyped: ['page-globals.d.ts', ...untyped] };
}

/** A sample with the places of `…` removed, as a module even without an import. */
function complete(code: string): string {
  const filled = code.replace(/^\s*…$/gm, '').replaceAll('=> …', '=> {}');
  return /^(import|export) /m.test(filled) ? filled : `${filled}\nexport {};\n`;
}

/**
 * JavaScript cannot declare the type of a body or a form field, so both are `any` in it. The module served by a page is the
 * package.
 */
function withAny(code: string): string {
  return code
    .replace(/\brequest\.body\b/g, '(/** @type {any} */ (request.body))')
    .replace(/new FormData\([^()]*\)/g, '(/** @type {any} */ ($&))')
    .replace(/'\/(api\/captcha\/tollgate|session)\.js'/, "'@tollgate/client/tollgate.js'");
}
