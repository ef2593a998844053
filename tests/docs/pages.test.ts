// The pages match the code: generated ones, and claims of the others.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { loadImageSetup } from '@tollgate/challenge-service/image-setup.js';
import { ImagePreset } from '@tollgate/challenge-service/presets/preset.js';
import { resolvePresets } from '@tollgate/challenge-service/presets/presets.js';
import { leavesOf, resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { auditPage } from '@tollgate/tools/docs/audit-page.js';
import {
  bearerVariableNames,
  configurationPage,
  launcherVariables,
  variableNames,
} from '@tollgate/tools/docs/configuration-page.js';
import { errorCodes, gatewayCodes } from '@tollgate/tools/docs/error-codes.js';
import { errorsPage } from '@tollgate/tools/docs/errors-page.js';
import { adminApps, type OpenApiDocument, openApiDocuments } from '@tollgate/tools/docs/openapi-documents.js';
import { openApiPage } from '@tollgate/tools/docs/openapi-page.js';
import { personalDataPage } from '@tollgate/tools/docs/personal-data-page.js';
import { prebuiltPage } from '@tollgate/tools/docs/prebuilt-page.js';
import { listFiles, readSources } from '@tollgate/tools/docs/source-files.js';
import { wireFiles } from '@tollgate/tools/docs/wire-bodies.js';
import { environmentFor, projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { processVariables } from '@tollgate/tools/launcher/service-program.js';
import Fastify, { type HTTPMethods } from 'fastify';
import t from 'tap';
import { anchorsOf, codeBlocks, literalsIn, relativeLinks, tablesHeaded } from './markdown.js';
import { readProjectFile } from './project-file.js';

const documents = await openApiDocuments();
const pages = ['README.md', ...listFiles('docs', /\.md$/)].map((path) => ({
  path,
  text: readProjectFile(path),
}));
const page = (path: string) => readProjectFile(path);
const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** Every route of a document, as `GET /path`. */
const routesOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => methods.includes(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
const routes = [documents['challenge-service'], documents['session-service']].flatMap(routesOf);
const adminRoutes = [documents['challenge-service-admin'], documents['session-service-admin']].flatMap(
  routesOf,
);

const admin = await adminApps();
t.teardown(() => Promise.all(Object.values(admin).map((app) => app.close())));

/** Whether a service has this route on its admin port. */
function isAdminRoute(request: string): boolean {
  const [method = '', path = ''] = request.split(' ');
  const url = path.replace(/\{(\w+)\}/g, ':$1');
  return Object.values(admin).some((app) => app.hasRoute({ method: method as HTTPMethods, url }));
}

/** Constants of the plugin for WordPress. */
const plugin = readProjectFile('deploy/wordpress/tollgate/tollgate.php');
const constants = new Set([
  ...[...plugin.matchAll(/tollgate_setting\( '(\w+)' \)/g)].map(
    ([, name = '']) => `TOLLGATE_${name.toUpperCase()}`,
  ),
  ...[...plugin.matchAll(/defined\( '(TOLLGATE_\w+)' \)/g)].map(([, name = '']) => name),
  // Exported by Angular.
  'CUSTOM_ELEMENTS_SCHEMA',
]);

const presetsPage = readProjectFile('docs/challenges/presets.md');
const modulePage = readProjectFile('docs/challenges/challenge-types.md');
const captcha = resolveCaptchaOptions();

type Version = readonly [major: number, minor: number];
interface LockedPackage {
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readme = readProjectFile('README.md');
const [, recommended = '', oldest = '', refusing = '', wanted = ''] =
  /You need Node (\d+) or newer, and nothing else\..*\((\d+\.\d+) and newer work, .* that (\w+) dependencies want Node (\d+)\.\)/.exec(
    readme,
  ) ?? [];
const lines = {
  // A line means its newest version.
  recommended: versionOf(`${recommended}.99`),
  oldest: versionOf(oldest),
  wanted: versionOf(`${wanted}.99`),
};
const packages: Readonly<Record<string, LockedPackage>> = JSON.parse(
  readProjectFile('package-lock.json'),
).packages;

t.test('docs/audit.md matches the code (npm run docs)', async (t) => {
  t.equal(page('docs/audit.md'), auditPage());
});

t.test('docs/personal-data.md matches the code (npm run docs)', async (t) => {
  t.equal(page('docs/personal-data.md'), personalDataPage());
});

t.test('docs/personal-data.md names every key in browser storage', async (t) => {
  const named = tablesHeaded(page('docs/personal-data.md'), 'Name').flatMap(({ rows }) =>
    rows.flatMap(([name = '']) => literalsIn(name)),
  );
  const sources = listFiles('packages/client/src', /\.ts$/).map(readProjectFile);
  const keys = sources
    .filter((text) => /\b(?:localStorage|sessionStorage|indexedDB|openHint)\b/.test(text))
    .flatMap((text) => [...text.matchAll(/[`'](tollgate(?:[-:][a-z:-]*)?)['$]/g)].map(([, key = '']) => key))
    // The element, and one of its events.
    .filter((key) => !['tollgate-challenge', 'tollgate-verified'].includes(key));
  t.strictSame(
    [...new Set(keys)].sort(),
    named.filter((name) => name.startsWith('tollgate') && name !== 'tollgate-pass').sort(),
  );
});

t.test('docs/client/prebuilt.md has the integrity hashes of the build (npm run docs)', async (t) => {
  t.equal(page('docs/client/prebuilt.md'), prebuiltPage());
  const file = join(projectRoot, 'packages', 'client', 'dist', 'tollgate.js');
  const hash = createHash('sha384').update(readFileSync(file)).digest('base64');
  t.match(page('docs/client/prebuilt.md'), `integrity="sha384-${hash}"`);
});

t.test('docs/configuration.md matches the code (npm run docs)', async (t) => {
  t.equal(page('docs/configuration.md'), configurationPage());
});

t.test('docs/errors.md matches the code (npm run docs)', async (t) => {
  t.equal(page('docs/errors.md'), errorsPage());
});

t.test('docs/openapi matches the services (npm run docs)', async (t) => {
  for (const [service, document] of Object.entries(documents)) {
    t.equal(page(`docs/openapi/${service}.yaml`), openApiPage(document), service);
  }
  t.same(
    listFiles('docs/openapi', /./).sort(),
    Object.keys(documents)
      .map((name) => `docs/openapi/${name}.yaml`)
      .sort(),
  );
});

t.test('the schemas of all routes are valid, which the services do not check at start', async (t) => {
  for (const [service, document] of Object.entries(documents)) {
    const app = Fastify({ ajv: { customOptions: { formats: { ip: true } } } });
    const { paths, components } = JSON.parse(
      JSON.stringify(document).replaceAll('"#/components/schemas/', '"'),
    );
    for (const [name, schema] of Object.entries<object>(components.schemas)) {
      app.addSchema({ ...schema, $id: name });
    }
    const schemas = schemasIn(paths);
    t.ok(schemas.length > 0, service);
    schemas.forEach((body, at) => {
      app.post(`/${at}`, { schema: { body } }, async () => '');
    });
    await t.resolves(async () => app.ready(), service);
  }
});

/** The schemas of parameters, bodies and responses. */
function schemasIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === 'schema' ? [inner] : schemasIn(inner)));
}

t.test('the documented launcher variables are exactly its own', async (t) => {
  const all = Object.fromEntries([...variableNames()].map((name) => [name, 'x']));
  const handed = { ...environmentFor('session-service', all), ...environmentFor('challenge-service', all) };
  t.same(
    Object.keys(all)
      .filter((name) => !(name in handed))
      .sort(),
    Object.keys(launcherVariables).sort(),
  );
});

t.test('every variable on a page exists', async (t) => {
  // The package for applications reads variables that no service reads.
  const ofApplications = bearerVariableNames();
  t.ok(ofApplications.has('ACCESS_KEYS'));
  const ofImages = [...page('deploy/Dockerfile').matchAll(/^ARG (\w+)/gm)].map(([, name = '']) => name);
  const ofGateways = ['Caddyfile', 'gate.Caddyfile'].flatMap((file) =>
    [...page(`deploy/gateway/${file}`).matchAll(/\{\$(\w+)/g)].map(([, name = '']) => name),
  );
  // Recipes for other products mention their settings.
  const ofGitea = [
    'ENABLE_CAPTCHA',
    'CAPTCHA_TYPE',
    ...['URL', 'SITEKEY', 'SECRET'].map((name) => `RECAPTCHA_${name}`),
  ];
  // SvelteKit's server reads them.
  const ofSvelteKit = ['PROTOCOL_HEADER', 'HOST_HEADER'];
  const ofProcesses = Object.keys(processVariables);
  // tap reads it.
  const ofTests = ['TAP_TIMEOUT'];
  // Names of other languages and their frameworks.
  const ofLanguages = listFiles('docs/examples', /\.(php|py|rb|ru)$/).flatMap((path) =>
    [...page(path).matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(([name]) => name),
  );
  const ofExamples = listFiles('docs/examples', /\.(js|ts)$/).flatMap((path) =>
    [...page(path).matchAll(/\b(?:NUXT_)?(?:HOST_API|TOLLGATE|PUBLIC|SESSION)_[A-Z]+\b/g)].map(
      ([name]) => name,
    ),
  );
  const named = [
    ...ofApplications,
    ...ofExamples,
    ...ofImages,
    ...ofGateways,
    ...ofGitea,
    ...ofSvelteKit,
    ...ofProcesses,
    ...ofTests,
  ];
  const known = new Set([...variableNames(), ...named]);
  const ofNode = ['UV_THREADPOOL_SIZE', 'NODE_EXTRA_CA_CERTS'];
  for (const { path, text } of pages) {
    // At least two words, to exclude abbreviations; those of Node are no option of a service.
    for (const [name] of text.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)) {
      const isOfStack = path.startsWith('docs/stacks/') && ofLanguages.includes(name);
      const isKnown = known.has(name) || constants.has(name) || isOfStack || ofNode.includes(name);
      t.ok(isKnown, `${path}: ${name}`);
    }
  }
});

t.test('every error code of the sources is documented', async (t) => {
  const codes = errorCodes();
  t.ok(
    codes.every(({ senders }) => senders.length > 0),
    'each has a sender',
  );
  t.ok(
    codes.every(({ text }) => text !== ''),
    'each has a message',
  );
  const defined = readSources()
    .filter(({ path }) => /\/(?:src|extensions)\//.test(path))
    .flatMap(({ text }) => [...text.matchAll(/\b(?:defineError|createError)\(\s*'([A-Z_]+)'/g)])
    .map(([, code = '']) => code.toLowerCase());
  t.same(codes.map(({ code }) => code).sort(), defined.sort(), 'a class without a docstring is overlooked');
  const plain = new Set([...codes, ...gatewayCodes()].map(({ code }) => code));
  for (const file of ['Caddyfile', 'gateway.nginx.conf']) {
    for (const [, code = ''] of page(`deploy/gateway/${file}`).matchAll(/"code":"([a-z_]+)"/g)) {
      t.ok(plain.has(code), `${file}: ${code}`);
    }
  }
});

t.test('every error code in a table exists with its status', async (t) => {
  const statuses = new Map([...gatewayCodes(), ...errorCodes()].map(({ code, status }) => [code, status]));
  for (const { path, text } of pages) {
    for (const { head, rows } of tablesHeaded(text, 'Code')) {
      t.equal(head[1], 'Status', path);
      for (const [cell = '', status] of rows) {
        const code = literalsIn(cell)[0] ?? '';
        t.equal(String(statuses.get(code)), status, `${path}: ${code}`);
      }
    }
  }
});

t.test('docs/endpoints.md lists the endpoints of the services', async (t) => {
  // A row may list several paths; the last table is that of the admin ports.
  const tables = tablesHeaded(page('docs/endpoints.md'), 'Method').map(({ rows }) =>
    rows.flatMap(([method, paths = '']) => literalsIn(paths).map((path) => `${method} ${path}`)),
  );
  const restricted = tables.at(-1) ?? [];
  t.same(tables.slice(0, -1).flat().toSorted(), routes.toSorted());
  for (const request of restricted) t.ok(isAdminRoute(request), request);
  const missing = adminRoutes.filter((request) => !restricted.includes(request));
  t.same(missing, [], 'no route is left out');
});

t.test('every request on a page is a route', async (t) => {
  for (const { path, text } of pages) {
    for (const literal of literalsIn(text)) {
      const [request] = /^(?:GET|POST|PUT|PATCH|DELETE) \/\S*$/.exec(literal) ?? [];
      if (request !== undefined)
        t.ok(routes.includes(request) || isAdminRoute(request), `${path}: ${request}`);
    }
  }
  t.ok(routes.length >= 8);
});

t.test('every link has a file, and every anchor a heading', async (t) => {
  for (const { path, text } of pages) {
    for (const link of relativeLinks(text)) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : posix.join(dirname(path), file);
      t.ok(existsSync(join(projectRoot, target)), `${path}: ${link}`);
      if (anchor !== undefined) t.ok(anchorsOf(page(target)).has(anchor), `${path}: ${link}`);
    }
  }
});

t.test('each framework page begins with the tested example', async (t) => {
  const examples = {
    html: ['plain-form/index.html', 'plain-form/sign-in.js'],
    vue: ['vue-form/src/SignIn.vue', 'vue-form/vite.config.js'],
    svelte: ['svelte-form/src/SignIn.svelte'],
    react: ['react-form/src/sign-in.tsx'],
    angular: ['angular-form/src/sign-in.ts'],
  };
  const stacks = {
    express: ['express/app.js'],
    hono: ['hono/src/app.js', 'hono/src/node.js'],
    next: ['next/app/contact/actions.ts', 'next/app/contact/page.tsx', 'next/app/orders/page.tsx'],
    sveltekit: [
      'sveltekit/src/routes/contact/+page.server.js',
      'sveltekit/src/routes/contact/+page.svelte',
      'sveltekit/src/env.js',
      'sveltekit/src/routes/orders/+page.server.js',
      'sveltekit/src/routes/orders/+page.svelte',
    ],
    nuxt: [
      'nuxt/server/api/contact.post.ts',
      'nuxt/app/pages/contact.vue',
      'nuxt/nuxt.config.ts',
      'nuxt/server/middleware/orders.ts',
      'nuxt/app/pages/orders.vue',
    ],
    astro: ['astro/src/actions/index.ts', 'astro/src/pages/contact.astro'],
    'react-router': ['react-router/app/routes/contact.tsx'],
    nestjs: ['nestjs/src/challenge.guard.ts', 'nestjs/src/contact.controller.ts'],
    php: ['php/tollgate.php', 'php/contact.php'],
    flask: ['flask/tollgate.py', 'flask/app.py', 'flask/templates/contact.html'],
    django: ['django/tollgate.py', 'django/views.py', 'django/templates/contact.html'],
    rails: [
      'rails/app/controllers/concerns/tollgate.rb',
      'rails/app/controllers/contacts_controller.rb',
      'rails/app/views/contacts/new.html.erb',
    ],
  };
  for (const [path, files] of [
    ...Object.entries(examples).map(([name, files]) => [`docs/client/${name}.md`, files] as const),
    ...Object.entries(stacks).map(([name, files]) => [`docs/stacks/${name}.md`, files] as const),
  ]) {
    const text = page(path);
    for (const file of files) {
      const language = file.slice(file.lastIndexOf('.') + 1);
      t.ok(codeBlocks(text, language).includes(page(`docs/examples/${file}`)), file);
    }
  }
});

t.test('every console message refers to documents only with an address', async (t) => {
  const sources = readSources().filter(({ path }) => path.startsWith('packages/client/src/'));
  t.ok(sources.filter(({ text }) => /console\.\w+\(|warnOnce\(/.test(text)).length >= 4);
  for (const { path, text } of sources) {
    const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
    t.notMatch(code, /\w\.md\b/, path);
  }
});

t.test('every file in the text of a page exists', async (t) => {
  for (const { path, text } of pages) {
    for (const literal of literalsIn(text)) {
      if (!/^(?:shared|services|deploy|tools|tests|docs)\/[\w./-]+\.\w+$/.test(literal)) continue;
      t.ok(existsSync(join(projectRoot, literal)), `${path}: ${literal}`);
    }
  }
});

/** Folders whose README is the start of all their pages. */
const startedFolders = ['challenges', 'client', 'decisions', 'operations', 'sessions', 'stacks'].map(
  (name) => `docs/${name}`,
);

t.test('every page is linked from the README, and each page of a folder from its README', async (t) => {
  const linksOf = (path: string) => relativeLinks(page(path)).map((link) => posix.join(dirname(path), link));
  for (const { path } of pages.filter(({ path }) => path !== 'README.md')) {
    const folder = dirname(path);
    const isStarted = startedFolders.includes(folder) && posix.basename(path) !== 'README.md';
    t.ok(linksOf(isStarted ? `${folder}/README.md` : 'README.md').includes(path), path);
  }
});

t.test('the worked example of a proof of work is correct', async (t) => {
  const text = page('docs/challenges/proof-of-work.md');
  const example = codeBlocks(text, 'sh').find((code) => code.includes('sha256sum')) ?? '';
  const [, salt = '', nonce = '', digest] =
    /printf %s%s (\w+) (\d+) \| sha256sum\n# (\w+)/.exec(example) ?? [];
  t.equal(
    createHash('sha256')
      .update(salt + nonce)
      .digest('hex'),
    digest,
  );
  t.match(digest, /^0000[0-9a-f]{60}$/);
  t.ok(text.includes(`"salt": "${salt}",\n  "difficulty": 16,`));
  t.ok(text.includes(`nonce \`${nonce}\``));
});

t.test('every JSON example can be parsed', async (t) => {
  for (const { path, text } of pages) {
    for (const code of codeBlocks(text, 'json')) t.doesNotThrow(() => JSON.parse(code), path);
  }
});

t.test('the presets of the example are valid', async (t) => {
  const example = codeBlocks(presetsPage, 'json').find((code) => code.includes('"calm"')) ?? '';
  const sources = [{ name: 'docs/challenges/presets.md', presets: JSON.parse(example) }];
  const { presets, mistakes } = resolvePresets({ options: captcha, sources });
  t.strictSame(mistakes, []);
  t.strictSame([...presets.keys()], ['default', 'large', 'calm']);
});

t.test('every option of a preset is in the table, and no other', async (t) => {
  const [table] = tablesHeaded(presetsPage, 'Option').filter(({ head }) => head[1] === 'Values');
  const named = (table?.rows ?? []).flatMap(([cell = '']) => literalsIn(cell));
  const known = leavesOf(ImagePreset).map(({ path }) => path.join('.'));
  t.strictSame(named.toSorted(), ['kind', ...known].toSorted());
});

t.test('the module of the example is valid', async (t) => {
  const [kinds = '', renderer = ''] = codeBlocks(modulePage, 'js').filter((code) =>
    code.startsWith('export const'),
  );
  const folder = tempDir(t);
  writeFileSync(join(folder, 'own.mjs'), `${kinds}\n${renderer}`);
  const settings = { values: { CAPTCHA_MODULE: './own.mjs' }, captcha };
  const equipment = await loadImageSetup(settings, folder);
  t.strictSame([...equipment.presets.keys()], ['default', 'sum']);
  t.equal(equipment.renderer?.name, 'mine@1');
});

t.test('a package required a newer Node than the README, with a warning at the installation', async (t) => {
  const unhappy = (version: Version) =>
    Object.entries(packages)
      .filter(([, { engines }]) => engines?.node !== undefined && !accepts(engines.node, version))
      .map(([path]) => path.split('node_modules/').at(-1) ?? '');
  t.strictSame(unhappy(lines.recommended), [], 'no warning on the recommended line');
  t.strictSame(unhappy(lines.wanted), []);
  const warned = unhappy(lines.oldest);
  t.equal(warned.length, ['no', 'one', 'two', 'three', 'four'].indexOf(refusing), warned.join());
  const ours = Object.entries(packages)
    .filter(([path]) => !path.includes('node_modules/'))
    .flatMap(([, { dependencies, devDependencies }]) => Object.keys({ ...dependencies, ...devDependencies }));
  t.strictSame(
    warned.filter((name) => ours.includes(name)),
    [],
    'none of them is in a manifest of ours',
  );
});

t.test('the manifests, the images and test:nodes have the Node lines of the README', async (t) => {
  const manifests = Object.keys(packages)
    .filter((path) => !path.includes('node_modules/'))
    .map((path) => JSON.parse(readProjectFile(join(path, 'package.json'))));
  // The browser package names no Node.
  t.strictSame([...new Set(manifests.flatMap(({ engines }) => engines?.node ?? []))], [`>=${oldest}`]);
  t.equal(manifests[0]?.scripts['test:nodes'], 'node tools/test-nodes.js');
  t.match(
    readProjectFile('deploy/Dockerfile'),
    new RegExp(`^ARG NODE_IMAGE=node:${recommended}(?:[.]\\d+)*-trixie-slim(?:@sha256:[0-9a-f]{64})?$`, 'm'),
  );
  const promised = /^const promisedLines = \[(.*)\];$/m.exec(readProjectFile('tools/test-nodes.js'))?.[1];
  const tried = [...(promised ?? '').matchAll(/'(\d+)'/g)].map(([, line = '']) => line);
  t.equal(tried[0], String(lines.oldest[0]));
  t.ok(tried.includes(recommended));
  const named = /on each supported line of Node: (.*), with the programs/.exec(
    readProjectFile('docs/contributing.md'),
  )?.[1];
  t.equal(named, [`${oldest} and newer`, ...tried.slice(1)].join(', ').replace(/, (\d+)$/, ' and $1'));
});

function versionOf(text: string): Version {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  if (major === undefined) throw new Error(`the README has no version at "${text}"`);
  return [Number(major), Number(minor)];
}

/** Returns whether a range of `engines` accepts a version; majors and minors decide. */
function accepts(range: string, [major, minor]: Version): boolean {
  return range.split('||').some((part) =>
    [...part.matchAll(/([<>=^~]*)\s*(\d+|\*)(?:\.(\d+|x))?(?:\.(?:\d+|x))?/g)].every(
      ([, operator = '', first = '', second = '0']) => {
        if (first === '*') return true;
        const distance = major - Number(first) || minor - (Number(second) || 0);
        if (operator === '>=') return distance >= 0;
        if (operator === '<') return distance < 0;
        if (operator === '' || operator === '^') return major === Number(first) && distance >= 0;
        throw new Error(`unsupported range: ${range}`);
      },
    ),
  );
}

for (const [path, text] of wireFiles()) {
  t.test(`${path} matches the schemas (npm run docs)`, async (t) => {
    t.equal(readProjectFile(path), text);
  });
}
