// `npm run release:check`: runs every check required before the packages are published. It publishes nothing.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from './arguments.js';
import { prepare, prepareLab, root, run } from './prepare.js';
import { removeStale } from './stale-output.js';

const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
const tests = join(root, 'lab', 'dist', 'test', 'packages');
/** Compiling every sample is slow on a busy machine. */
const testSeconds = 600;

readArguments('usage: npm run release:check\nRuns every check before a release, and publishes nothing.');

let failures = 0;

const status = () => run('git', ['status', '--porcelain']).output;
const changes = () => run('git', ['diff']).output;
const node = (...args) => run(process.execPath, args);

const before = status();
report('the working tree is clean', before === '', before);
// Bundling stops at a package without a licence text, and an existing bundle would not be made again.
for (const name of readdirSync(join(root, 'services'))) {
  rmSync(join(root, 'services', name, 'dist', 'bundle'), { recursive: true, force: true });
}
// Ends the process with the reason if something does not compile.
prepare();
removeStale();
prepareLab();
report('everything is installed and compiled', true);
const lint = node(biome, 'check', '--error-on-warnings');
report('format and lint', lint.ok, lint.output);
checkDocuments();
runTests('packages.test.js');
runTests('prepack.test.js');
runTests('provenance.test.js');
checkBaseImage();

console.log(failures === 0 ? '\nReady to publish.' : `\n${failures} FAILED`);
process.exitCode = failures === 0 ? 0 : 1;

/** The committed documents equal the generated ones. */
function checkDocuments() {
  const committed = changes();
  const generated = node(join(root, 'tools', 'dist', 'src', 'docs', 'generate.js'));
  const added = changes();
  const title = 'the generated documents are up to date';
  if (!generated.ok) report(title, false, generated.output);
  else report(title, added === committed, `npm run docs has changed:\n${status()}`);
}

/** A tag may name another image tomorrow. */
function checkBaseImage() {
  const [, image] =
    /^ARG NODE_IMAGE=(.*)$/m.exec(readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8')) ?? [];
  const title = 'deploy/Dockerfile names the base image by digest';
  report(title, /@sha256:[0-9a-f]{64}$/.test(image), `${image}: see docs/licences.md#base-images`);
}

/** Each test in a file is a check. */
function runTests(name) {
  const env = { ...process.env, TAP: '1', TAP_TIMEOUT: String(testSeconds) };
  const { ok, output } = run(process.execPath, [join(tests, name)], { env });
  const results = [...output.matchAll(/^(not )?ok \d+ - (.*?)(?: # time=.*)?$/gm)];
  for (const [, failed, title] of results) report(title, !failed);
  const seemsRight = results.length > 0 && results.every(([, failed]) => !failed);
  if (!ok && seemsRight) report(`${name} ends well`, false);
  if (results.length === 0) report(`${name} runs`, false);
  if (!ok) console.log(indent(output.replace(/^ *ok .*\n/gm, '')));
}

function report(title, ok, details = '') {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${title}`);
  if (ok) return;
  failures += 1;
  if (details) console.log(indent(details));
}

function indent(text) {
  return text.replace(/^/gm, '       ').trimEnd();
}
