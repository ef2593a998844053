// docs/examples/contact-form, installed from the packed archive as by a user, with the running services.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { examples, shared, startHostedSystem } from '@tollgate/tests/examples/hosts.js';
import t, { type Test } from 'tap';
import { install, npm, packInto } from '../packages/outside-project.js';

interface ContactForm {
  listen(at: { port: number; host: string }): Promise<string>;
  close(): Promise<void>;
}

interface Message {
  readonly name: string;
  readonly email: string;
  readonly text: string;
}

type BuildContactForm = (options: {
  environment: Record<string, string | undefined>;
  deliver: (message: Message) => Promise<void>;
}) => Promise<ContactForm>;

const message: Message = { name: 'Someone', email: 'someone@example.com', text: 'Good morning.' };

/** The example in a folder outside the project, with the packed archive installed in it. */
function installExample(t: Test): string {
  const folder = join(tempDir(t), 'contact-form');
  cpSync(join(examples, 'contact-form'), folder, { recursive: true });
  packInto(folder, ['shared', 'packages/fastify']);
  install(folder);
  return folder;
}

const folder = installExample(t);
const installed = join(folder, 'node_modules', '@tollgate', 'shared');
const { buildContactForm } = (await import(pathToFileURL(join(folder, 'app.js')).href)) as {
  buildContactForm: BuildContactForm;
};

t.test('the archive has compiled code and store scripts, and no tests', async (t) => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        !join(entry.parentPath, entry.name).slice(installed.length).includes('node_modules'),
    )
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
  t.ok(files.includes('lua/take.lua'));
  t.ok(files.includes('dist/src/http/guard/challenge-guard.d.ts'));
  t.strictSame(
    files.filter(
      (file) =>
        !/^(package\.json|LICENSE|README\.md|dist\/sbom\.cdx\.json|lua\/[a-z_]+\.lua|dist\/src\/[a-z0-9/-]+(\.d\.ts|\.js))$/.test(
          file,
        ),
    ),
    [],
  );
});

t.test('packages that only services use are not installed', async (t) => {
  const { peerDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const names = Object.keys(peerDependencies);
  t.ok(names.includes('@fastify/swagger') && names.includes('@photostructure/sqlite'));
  const { dependencies } = JSON.parse(
    readFileSync(join(folder, 'node_modules/fastify/package.json'), 'utf8'),
  );
  for (const name of names.filter((each) => !(each in dependencies))) {
    t.notOk(existsSync(join(folder, 'node_modules', name)), name);
  }
});

t.test('its dependencies are complete', async (t) => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));
  const missing = new Set<string>();
  for (const file of readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|d\.ts)$/.test(file)) continue;
    const code = readFileSync(join(installed, 'dist', file), 'utf8');
    for (const [, name = ''] of code.matchAll(/(?:from|import) '((?:@[\w.-]+\/)?[\w.:-]+)[^']*'/g)) {
      const isBuiltIn = name.startsWith('node:') || builtinModules.includes(name);
      if (!name.startsWith('.') && !isBuiltIn && !declared.has(name)) missing.add(`${file}: ${name}`);
    }
  }
  t.strictSame([...missing], []);
});

t.test('on the embedded store', async (t) => {
  if (Number.parseInt(process.versions.node, 10) < 24) {
    const refused = runServer({ STORE_URL: `file:${join(folder, 'store')}` });
    t.notOk(refused.status === 0);
    t.match(refused.stderr, /no SQLite for Node .*: npm install @photostructure\/sqlite/);
    npm(folder, 'install', '@photostructure/sqlite', '--no-audit', '--no-fund', '--loglevel=error');
  }
  await tests(t, {});
});

t.test('on Redis', async (t) => tests(t, { STORE_URL: (await startRedis(t)).url }));

async function tests(t: Test, store: { STORE_URL?: string }): Promise<void> {
  const system = await startHostedSystem(t, store);
  const environment = {
    ...shared,
    CHALLENGE_SECRET: system.secrets.CHALLENGE_SECRET,
    STORE_URL: system.storeUrl,
  };
  const delivered: Message[] = [];
  const app = await buildContactForm({
    environment,
    deliver: async (one) => {
      delivered.push(one);
    },
  });
  t.teardown(() => app.close());
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const send = async (body: object, headers = {}) => {
    const answer = await fetch(`${address}/contact`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, json: await answer.json() };
  };
  const fields = async () => ({ ...(await system.work()), ...(await system.image()) });

  await t.test('a message with work and an image is delivered, once', async (t) => {
    const solved = await fields();
    t.strictSame(await send({ ...message, ...solved }), { status: 202, json: { delivered: true } });
    t.match(await send({ ...message, ...solved }), { status: 422, json: { code: 'pow_invalid' } });
    t.strictSame(delivered, [message]);
  });

  await t.test('without them it is rejected', async (t) => {
    t.match(await send(message, { 'accept-language': 'fr' }), {
      status: 422,
      json: {
        code: 'pow_invalid',
        captcha_required: true,
        errors: {
          pow_token: ['Ce champ est obligatoire.'],
          pow_nonce: [String],
          captcha_token: [String],
          captcha: [String],
        },
      },
    });
    t.match(await send({ ...message, ...(await system.work()) }), { json: { code: 'captcha_invalid' } });
    t.match(await send({ ...message, ...(await fields()), captcha: 'wrong' }), {
      status: 422,
      json: { code: 'captcha_invalid', errors: { captcha: [String] } },
    });
    t.match(await send({ ...message, text: '', ...(await fields()) }), {
      status: 422,
      json: { code: 'validation_failed', errors: { text: [String] } },
    });
    t.equal(delivered.length, 1);
  });

  await t.test('of 100 parallel submissions of one solved form one is delivered', async (t) => {
    const solved = await fields();
    const answers = await Promise.all(Array.from({ length: 100 }, () => send({ ...message, ...solved })));
    t.equal(answers.filter(({ status }) => status === 202).length, 1);
    t.equal(delivered.length, 2);
  });
}

t.test('a mistake in its settings prevents the start with one line', async (t) => {
  const { status, stderr } = runServer({ STORE_URL: 'redis://127.0.0.1:1', CAPTCHA_EFFORT_BITS: '9' });
  t.equal(status, 1);
  t.match(stderr, /^CAPTCHA_EFFORT_BITS must be a whole number from 0 to 8, not "9"\n$/);
});

/** Runs the example as a program that exits with a mistake. */
function runServer(variables: Record<string, string>) {
  const fixed = { CHALLENGE_SECRET: 'challenge-secret-of-this-test-0123456789', PORT: '0' };
  const env = { PATH: process.env.PATH, ...fixed, ...variables };
  return spawnSync(process.execPath, [join(folder, 'server.js')], { env, encoding: 'utf8' });
}
