// Checks the imports of every source against the plan in docs/architecture.md: which room may import which.
import t from 'tap';
import { type Import, listFiles, readSources, type SourceFile } from '../src/docs/source-files.js';
import { readProjectFile } from './docs/project-file.js';

interface Room {
  readonly name: string;
  /** Its files. */
  readonly files: RegExp;
  /** What it may import besides its own files; what is left out it may not. */
  readonly may: readonly RegExp[];
  /** What its types may come from besides. */
  readonly mayForTypes?: readonly RegExp[];
  /** Names that its code must not use. */
  readonly never?: readonly RegExp[];
}

/** A departure from the plan that the code needs. */
interface Departure {
  readonly from: RegExp;
  readonly to: RegExp;
  readonly why: string;
}

const shared = (...rooms: string[]) => rooms.map((room) => new RegExp(`^shared/src/${room}/`));
const own = (...folders: string[]) =>
  folders.map((folder) => new RegExp(`^services/[a-z]+-service/src/${folder}`));
const sharedAny = /^shared\/src\//;
const node = (...names: string[]) => new RegExp(`^node:(${names.join('|')})$`);
const nodeAny = /^node:/;
const typebox = /^@sinclair\/typebox(\/|$)/;
const fastify = /^(fastify|fastify-plugin|@fastify\/[a-z-]+)(\/|$)/;
const databases = /^(ioredis|@photostructure\/sqlite|pg|@fastify\/redis)$/;
const hashes = /^@node-rs\/(argon2|bcrypt)$/;

const environment = /\bprocess\.env\b/;
const anyProcess = /\bprocess\./;
const clock = /\bDate\.now\b|\bnew Date\(\)/;
const chance = /\bMath\.random\b/;
const listening = /\.listen\(/;

const rooms: readonly Room[] = [
  { name: 'shared/pow', files: /^shared\/src\/pow\//, may: [], never: [anyProcess, clock, chance] },
  {
    name: 'shared/crypto',
    files: /^shared\/src\/crypto\//,
    may: [node('crypto')],
    never: [anyProcess, clock, chance],
  },
  {
    name: 'shared/schemas',
    files: /^shared\/src\/schemas\//,
    may: [typebox],
    never: [anyProcess, clock, chance],
  },
  { name: 'shared/cache', files: /^shared\/src\/cache\//, may: [], never: [anyProcess, clock, chance] },
  { name: 'shared/messages', files: /^shared\/src\/messages\//, may: [], never: [anyProcess, clock, chance] },
  {
    name: 'shared/config',
    files: /^shared\/src\/config\//,
    may: [typebox, /^tldts$/, node('crypto', 'fs', 'net', 'path', 'url'), ...shared('schemas')],
    never: [environment],
  },
  {
    name: 'shared/challenges',
    files: /^shared\/src\/challenges\//,
    may: [node('crypto'), ...shared('pow', 'crypto', 'schemas', 'cache')],
    never: [anyProcess, clock, chance],
  },
  {
    name: 'shared/store',
    files: /^shared\/src\/store\//,
    may: [databases, node('fs', 'module', 'net', 'path', 'timers/promises')],
    never: [environment],
  },
  {
    name: 'shared/sessions',
    files: /^shared\/src\/sessions\//,
    may: [node('timers/promises'), ...shared('store', 'keys', 'cache')],
    never: [environment, clock],
  },
  {
    name: 'shared/keys',
    files: /^shared\/src\/keys\//,
    may: [node('timers/promises'), ...shared('store', 'crypto')],
    never: [environment],
  },
  {
    name: 'shared/load',
    files: /^shared\/src\/load\//,
    may: shared('store', 'pow', 'crypto'),
    mayForTypes: shared('challenges', 'schemas'),
    never: [anyProcess, clock, chance],
  },
  {
    name: 'shared/audit',
    files: /^shared\/src\/audit\//,
    may: [node('fs', 'path'), ...shared('schemas')],
    never: [environment],
  },
  {
    name: 'shared/http',
    files: /^shared\/src\/http\//,
    may: [fastify, sharedAny, typebox, nodeAny, /^(close-with-grace|fast-jwt|negotiator|pino|prom-client)$/],
    never: [environment],
  },
  {
    name: 'deploy/test-support, what the tests of all packages use',
    files: /^deploy\/test-support\//,
    may: [nodeAny, /^(fast-check|ioredis|tap)$/, sharedAny],
    never: [],
  },
  {
    name: 'host',
    files: /^host\/src\//,
    may: [/^fastify-plugin$/, typebox, sharedAny],
    mayForTypes: [/^fastify$/],
    never: [environment, clock, chance],
  },
  {
    name: 'domain',
    files: /^services\/[a-z]+-service\/src\/domain\//,
    may: shared('crypto', 'pow'),
    mayForTypes: [sharedAny],
    never: [anyProcess, clock, chance],
  },
  {
    name: 'image',
    files: /^services\/challenge-service\/src\/image\//,
    may: [node('crypto', 'url', 'zlib')],
    mayForTypes: own('presets/preset\\.ts$', 'renderer/driver\\.ts$'),
    never: [environment, clock, chance],
  },
  {
    name: 'presets',
    files: /^services\/challenge-service\/src\/presets\//,
    may: [typebox, ...shared('crypto', 'pow'), ...own('image/')],
    mayForTypes: [sharedAny],
    never: [anyProcess, clock, chance],
  },
  {
    name: 'browser',
    files: /^services\/challenge-service\/src\/browser\//,
    may: [/^negotiator$/, node('crypto', 'fs', 'path', 'url', 'util', 'zlib')],
    never: [environment, clock, chance],
  },
  {
    name: 'sites',
    files: /^services\/challenge-service\/src\/sites\//,
    may: [
      typebox,
      /^@fastify\/busboy$/,
      node('crypto'),
      ...shared('cache', 'crypto', 'schemas', 'challenges'),
      ...own('json-source\\.ts$'),
    ],
    mayForTypes: [sharedAny],
    never: [environment, clock, chance],
  },
  {
    name: 'gate',
    files: /^services\/challenge-service\/src\/gate\//,
    may: [
      typebox,
      /^negotiator$/,
      node('crypto', 'dns/promises', 'net'),
      ...shared('cache', 'crypto', 'schemas'),
      /^shared\/src\/(config\/address-range|http\/(errors\/language|guard\/guard-answers))\.ts$/,
    ],
    mayForTypes: shared('challenges'),
    never: [environment, clock, chance],
  },
  {
    name: 'renderer',
    files: /^services\/challenge-service\/src\/renderer\//,
    may: [
      /^(fastq|piscina)$/,
      node('crypto', 'module', 'worker_threads'),
      ...own('image/', 'presets/preset\\.ts$'),
    ],
    never: [environment, clock, chance],
  },
  {
    name: 'stores and directory',
    files: /^services\/session-service\/src\/(stores|directory)\//,
    may: [
      databases,
      node('crypto', 'fs', 'path', 'url', 'util'),
      ...shared('store', 'sessions', 'crypto'),
      ...own('(stores|directory)/'),
    ],
    mayForTypes: own('domain/'),
    never: [environment],
  },
  {
    name: 'passwords',
    files: /^services\/session-service\/src\/passwords\//,
    may: [hashes, /^fastq$/, node('crypto', 'util'), ...own('directory/(accounts|directory)\\.ts$')],
    mayForTypes: own('domain/'),
    never: [environment, clock],
  },
  {
    name: 'routes',
    files: /^services\/[a-z]+-service\/src\/routes\//,
    may: [
      /^fastify$/,
      typebox,
      ...own('domain/', 'errors', 'plugins/', 'sites/'),
      ...shared('schemas', 'http'),
    ],
    mayForTypes: [sharedAny, ...own('(stores|directory|passwords)/')],
    never: [environment, listening],
  },
  {
    name: 'plugins',
    files: /^services\/[a-z]+-service\/src\/plugins\//,
    may: [fastify, sharedAny, ...own('')],
    never: [environment, listening],
  },
  {
    name: 'app.ts and admin.ts',
    files: /^services\/[a-z]+-service\/src\/(app|admin)\.ts$/,
    may: [fastify, sharedAny, ...own('')],
    never: [environment, listening],
  },
  {
    name: 'server.ts',
    files: /^services\/[a-z]+-service\/src\/server\.ts$/,
    may: [/^shared\/src\/http\/(server\/lifecycle|observability\/log-output)\.ts$/, ...own('service.ts')],
  },
  {
    name: 'service.ts',
    files: /^services\/[a-z]+-service\/src\/service\.ts$/,
    may: [
      nodeAny,
      sharedAny,
      ...own(
        'config',
        'app',
        'admin',
        '(gate|image|token)-setup',
        'project-root',
        '(stores|directory|passwords|sites)/',
      ),
    ],
    never: [environment],
  },
  {
    name: 'image-setup.ts',
    files: /^services\/challenge-service\/src\/image-setup\.ts$/,
    may: [sharedAny, ...own('presets/', 'renderer/', 'json-source\\.ts$')],
    never: [environment],
  },
  {
    name: 'gate-setup.ts',
    files: /^services\/challenge-service\/src\/gate-setup\.ts$/,
    may: [sharedAny, ...own('gate/', 'json-source\\.ts$')],
    never: [environment],
  },
  {
    name: 'json-source.ts',
    files: /^services\/challenge-service\/src\/json-source\.ts$/,
    may: [node('fs', 'path')],
    never: [anyProcess],
  },
  {
    name: 'token-setup.ts',
    files: /^services\/session-service\/src\/token-setup\.ts$/,
    may: [sharedAny, ...own('config', 'domain/key-roll-out\\.ts$')],
    never: [environment],
  },
  {
    name: 'cli',
    files: /^services\/[a-z]+-service\/src\/cli\//,
    may: [
      nodeAny,
      sharedAny,
      ...own(
        'config',
        '(stores|directory|passwords|sites)/',
        'renderer/',
        '(image|token)-setup',
        'project-root',
      ),
    ],
  },
  {
    name: 'project-root.ts',
    files: /^services\/challenge-service\/src\/project-root\.ts$/,
    may: [node('url')],
    never: [anyProcess],
  },
  {
    name: 'config.ts and errors.ts',
    files: /^services\/[a-z]+-service\/src\/(config|config-checks|errors)\.ts$/,
    may: [/^@fastify\/error$/, ...shared('config', 'schemas')],
    never: [environment],
  },
  {
    name: 'client',
    files: /^client\/src\/(?!react[./]|types\/)/,
    may: [],
    never: [anyProcess],
  },
  {
    name: 'client/react',
    files: /^client\/src\/react[./]/,
    may: [/^react$/, /^client\/src\/(session|challenge|element|types)\//, /^client\/src\/listeners\.ts$/],
    never: [anyProcess],
  },
  {
    name: 'client/types',
    files: /^client\/src\/types\//,
    may: [/^(preact|solid-js|svelte\/elements|vue|vue\/jsx-runtime)$/, /^client\/src\/(challenge|element)\//],
    never: [anyProcess],
  },
  {
    name: 'bench',
    files: /^bench\/src\//,
    may: [/./],
  },
  {
    name: 'deploy/launcher',
    files: /^deploy\/src\/launcher\//,
    may: [nodeAny, sharedAny, /^deploy\/src\/(gateway\/|demo\/|doctor\/running-system\.ts$)/],
  },
  {
    name: 'deploy/gateway',
    files: /^deploy\/src\/gateway\//,
    may: [fastify, nodeAny, sharedAny, /^deploy\/src\/(demo\/|launcher\/local-environment\.ts$)/],
  },
  {
    name: 'deploy/demo',
    files: /^deploy\/src\/demo\//,
    may: [
      fastify,
      nodeAny,
      /^shared\/src\/config\/command-line\.ts$/,
      /^services\/session-service\/src\/(cli\/(user-actions|email-address)|directory\/[a-z-]+)\.ts$/,
      /^marked$/,
      /^deploy\/src\/(gateway\/(challenge-names|shown-price)|launcher\/local-environment)\.ts$/,
    ],
  },
  {
    name: 'deploy/doctor',
    files: /^deploy\/src\/doctor\//,
    may: [
      nodeAny,
      typebox,
      /^undici$/,
      sharedAny,
      /^services\/session-service\/src\/(config|(cli|directory|domain|passwords)\/[a-z-]+)\.ts$/,
    ],
  },
  {
    name: 'deploy/drills: load and ledger, which know the services only from outside',
    files: /^deploy\/src\/drills\/(load|ledger)\//,
    may: [node('crypto', 'http')],
    never: [environment],
  },
  {
    name: 'deploy/drills',
    files: /^deploy\/src\/drills\/(?!load\/|ledger\/)/,
    may: [
      nodeAny,
      /^deploy\/src\/(drills|launcher)\//,
      /^shared\/src\/config\/command-line\.ts$/,
      /^deploy\/test-support\/src\/(tcp-proxy|until)\.ts$/,
    ],
  },
  {
    name: 'deploy/docs',
    files: /^deploy\/src\/docs\//,
    may: [
      fastify,
      nodeAny,
      typebox,
      sharedAny,
      /^deploy\/src\/(dashboard\/dashboard|launcher\/local-environment|drills\/reliability-page)\.ts$/,
      /^services\/challenge-service\/src\/browser\/browser-files\.ts$/,
    ],
  },
  { name: 'deploy/dashboard', files: /^deploy\/src\/dashboard\//, may: [] },
];

const departures: readonly Departure[] = [
  {
    from: /^shared\/src\/challenges\/store\/(receipt-record|records)\.ts$/,
    to: typebox,
    why: 'the schema of a record is its type',
  },
  {
    from: /^shared\/src\/challenges\/attempts\/normalise\.ts$/,
    to: /^(ipaddr\.js|node:url)$/,
    why: 'addresses and domains are parsed by a library, in one place',
  },
  {
    from: /^shared\/src\/challenges\/(store\/(([a-z-]+-)?(challenge|pass)-store|embedded-consumption)|challenge-service-watch|config-fingerprint)\.ts$/,
    to: /^shared\/src\/(store|keys)\//,
    why: 'the store files of the room use the opened store',
  },
  {
    from: /^shared\/src\/challenges\/types\/challenge-module\.ts$/,
    to: /^(node:path|shared\/src\/config\/load-module\.ts)$/,
    why: "the module with the operator's challenge types is loaded by the loader of all modules",
  },
  {
    from: /^shared\/src\/config\/checks\.ts$/,
    to: /^shared\/src\/store\/store-url\.ts$/,
    why: 'reading the address of a store is pure',
  },
  {
    from: /^shared\/src\/store\/(open-store|private-file)\.ts$/,
    to: /^shared\/src\/schemas\/configuration-error\.ts$/,
    why: 'a store or a folder that cannot be opened is a mistake in the configuration',
  },
  {
    from: /^shared\/src\/config\/command-line\.ts$/,
    to: /^node:module$/,
    why: 'a command finds out whether it is the program that was started',
  },
  {
    from: /^services\/session-service\/src\/(service|cli\/key-(status|reports))\.ts$/,
    to: /^services\/session-service\/src\/domain\/key-roll-out\.ts$/,
    why: 'what the service reports of its keys and what the command concludes is one rule, and pure',
  },
  {
    from: /^services\/[a-z]+-service\/src\/service\.ts$/,
    to: /^services\/[a-z]+-service\/src\/plugins\/[a-z]+-metrics\.ts$/,
    why: 'the metrics of both listeners are created once',
  },
  {
    from: /^services\/session-service\/src\/cli\/((account|session)-report|end-explanation|users\/end-user-sessions)\.ts$/,
    to: /^services\/session-service\/src\/domain\/(account-event|session-(end|entry|record))\.ts$/,
    why: 'the commands explain and write what the store keeps of a session',
  },
  {
    from: /^services\/session-service\/src\/cli\/(keys|session|users\/(end-user-sessions|import-users))\.ts$/,
    to: typebox,
    why: 'the schema of what the command reads of the environment or a file',
  },
  {
    from: /^services\/challenge-service\/src\/domain\//,
    to: /^shared\/src\/challenges\/(types\/[a-z-]+|attempts\/pseudonyms|store\/(records|challenge-keys))\.ts$/,
    why: 'pure functions that issuing and verifying share',
  },
  {
    from: /^services\/challenge-service\/src\/domain\//,
    to: /^services\/challenge-service\/src\/(image\/derivation|presets\/(preset|preset-fingerprint|presets))\.ts$/,
    why: 'the characters of an image are derived by pure functions, and presets are data',
  },
  {
    from: /^services\/challenge-service\/src\/presets\/(challenge-type-samples|presets)\.ts$/,
    to: /^shared\/src\/challenges\/types\/[a-z-]+\.ts$|\/src\/domain\/challenge-content\.ts$/,
    why: 'a preset names a type of challenge, whose samples are made by the pure code of live challenges',
  },
  {
    from: /^services\/challenge-service\/src\/presets\/preset(s|-mistakes|-fingerprint)\.ts$/,
    to: /^shared\/src\/schemas\/(canonical-json|configuration-error|expectation|option-tree|names)\.ts$/,
    why: 'presets are checked and completed by their schema',
  },
  {
    from: /^services\/challenge-service\/src\/presets\/preset-fingerprint\.ts$/,
    to: /^node:crypto$/,
    why: 'a fingerprint is a hash',
  },
  {
    from: /^services\/challenge-service\/src\/routes\/gate\/send-page\.ts$/,
    to: /^services\/challenge-service\/src\/gate\/page\/[a-z-]+\.ts$/,
    why: 'the page of the gate is a text that pure functions write',
  },
  {
    from: /^services\/challenge-service\/src\/routes\/(alone|issue)-image\.ts$/,
    to: /^services\/challenge-service\/src\/presets\/presets\.ts$/,
    why: 'a preset is looked up by a pure function',
  },
  {
    from: /^services\/challenge-service\/src\/cli\/(captcha|preview|samples)\.ts$/,
    to: /^services\/challenge-service\/src\/(domain\/(drawing|image-challenge)|presets\/presets)\.ts$/,
    why: 'samples are issued and drawn by the code of live challenges',
  },
  {
    from: /^(shared\/src\/sessions|services\/session-service\/src\/(stores|directory|domain|passwords))\//,
    to: /^shared\/src\/schemas\/user-id\.ts$/,
    why: 'what an id of a user is, and the text of it in keys and records, is said in one place',
  },
  {
    from: /^services\/session-service\/src\/directory\/module-directory\.ts$/,
    to: /^shared\/src\/config\/(load-module|redacted-message)\.ts$/,
    why: 'a module of the operator is loaded, and quoted in the log, in one way',
  },
  {
    from: /^services\/session-service\/src\/directory\/open-directory\.ts$/,
    to: /^shared\/src\/(config\/environment|schemas\/configuration-error)\.ts$/,
    why: 'a directory that cannot be opened is a mistake in the configuration',
  },
  {
    from: /^services\/session-service\/src\/stores\/[a-z-]+\.ts$/,
    to: /^services\/session-service\/src\/domain\/(account-event|authentication|device-claims|rotation|session-(end|entry|record|set)|sign-in-code|binding\/(binding-rule|session-binding))\.ts$/,
    why: 'the stores keep the records of the domain, and the embedded one runs its rule in a transaction',
  },
  {
    from: /^services\/[a-z]+-service\/src\/routes\//,
    to: /^shared\/src\/challenges\/(attempts\/(normalise|pseudonyms)|types\/(effort-type|answer-hashing)|store\/records|form-rules|submission)\.ts$/,
    why: 'pure functions on what a request carries and a record holds',
  },
  {
    from: /^services\/challenge-service\/src\/routes\/draw-image\.ts$/,
    to: /^services\/challenge-service\/src\/(image\/derivation|renderer\/image-pool)\.ts$/,
    why: 'the job is made by a pure function, and the route recognises a full queue by its class',
  },
  {
    from: /^services\/session-service\/src\/directory\//,
    to: /^shared\/src\/schemas\/user-claims\.ts$/,
    why: 'the claims of a user have one form, in the directory and in tokens',
  },
  {
    from: /^services\/session-service\/src\/(directory|cli)\//,
    to: /^shared\/src\/challenges\/attempts\/(normalise|pseudonyms)\.ts$/,
    why: 'an account has one spelling and one way to its pseudonym, in the log-in, the directory and every application',
  },
  {
    from: /^services\/[a-z]+-service\/src\/config\.ts$/,
    to: typebox,
    why: 'the schema of the environment',
  },
  {
    from: /^services\/[a-z]+-service\/src\/errors\.ts$/,
    to: /^shared\/src\/http\/errors\/errors\.ts$/,
    why: 'it wraps @fastify/error and ties every code to a message',
  },
  {
    from: /^deploy\/src\/docs\/(chart-files|configuration-page|openapi-documents)\.ts$/,
    to: /^services\/[a-z]+-service\/src\/(config|app|admin|gate-setup|plugins\/[a-z]+-metrics)\.ts$/,
    why: 'the documentation is made from the code of both services',
  },
];

const all = readSources();
const sources = all.filter(({ path }) => path.includes('/src/'));
/** Lua, scripts and the page: files with a head line, but without imports that the plan speaks of. */
const others = ['shared/lua', 'services/session-service/lua', 'deploy']
  .flatMap((folder) => listFiles(folder, /^(?!.*\/(dist|node_modules)\/).*\.(lua|js)$/))
  .map((path) => ({ path, text: readProjectFile(path) }));

const roomOf = (path: string) => rooms.filter(({ files }) => files.test(path));
const matches = (target: string, patterns: readonly RegExp[]) =>
  patterns.some((pattern) => pattern.test(target));

function isAllowed({ target, isType }: Import, room: Room): boolean {
  if (room.files.test(target) || matches(target, room.may)) return true;
  return isType && matches(target, room.mayForTypes ?? []);
}

function departureOf({ path }: SourceFile, { target }: Import): Departure | undefined {
  return departures.find(({ from, to }) => from.test(path) && to.test(target));
}

/** The code without its comments and strings: only code must not use the names. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '').replace(/'(?:[^'\\\n]|\\.)*'/g, "''");
}

t.test('every source lies in one room', async (t) => {
  t.ok(sources.length > 100, 'the sources are found');
  for (const { path } of sources) t.equal(roomOf(path).length, 1, path);
  for (const room of rooms)
    t.ok(
      sources.some(({ path }) => room.files.test(path)),
      `${room.name} has files`,
    );
});

t.test('a file imports only what its room may know', async (t) => {
  const used = new Set<Departure>();
  const wrong: string[] = [];
  for (const source of sources) {
    for (const room of roomOf(source.path)) {
      for (const one of source.imports) {
        if (isAllowed(one, room)) continue;
        const departure = departureOf(source, one);
        if (departure === undefined) wrong.push(`${source.path} imports ${one.target} (${room.name})`);
        else used.add(departure);
      }
    }
  }
  t.same(wrong, []);
  t.same(
    departures.filter((departure) => !used.has(departure)).map(({ from, to }) => `${from} to ${to}`),
    [],
    'no departure is left over',
  );
});

t.test('no import is overlooked, and within the project each leads to a file', async (t) => {
  for (const { path, text, imports } of sources) {
    const words = text.match(/^(?:\} from|import .* from|export .* from|import) '/gm) ?? [];
    t.ok(imports.length >= words.length, path);
  }
  const paths = new Set(all.map(({ path }) => path));
  // What a program writes has only its types in the sources.
  const isFile = (path: string) => paths.has(path) || paths.has(path.replace(/\.ts$/, '.d.ts'));
  const lost = all.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => /^(shared|host|services|client|deploy|bench)\//.test(target) && !isFile(target))
      .map(({ target }) => `${path} imports ${target}`),
  );
  t.same(lost, []);
});

t.test('Fastify, and whatever is built on it, stays out of what is below it', async (t) => {
  const below =
    /\/src\/(pow|crypto|schemas|messages|config|challenges|store|domain|image|presets|renderer|stores|directory|passwords)\//;
  const found = sources
    .filter(({ path }) => below.test(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => fastify.test(target) || target.startsWith('shared/src/http/'))
        .map(() => path),
    );
  t.same(found, []);
});

t.test('the services never import each other', async (t) => {
  const found = all.flatMap(({ path, imports }) => {
    const service = /^services\/([a-z-]+)\//.exec(path)?.[1];
    return imports
      .filter(({ target }) => {
        const other = /^services\/([a-z-]+)\//.exec(target)?.[1];
        return other !== undefined && !/^(deploy|bench)\//.test(path) && other !== service;
      })
      .map(({ target }) => `${path} imports ${target}`);
  });
  t.same(found, []);
});

t.test('the code of a room uses no name that is forbidden there', async (t) => {
  const found = sources.flatMap(({ path, text }) =>
    roomOf(path).flatMap(({ name, never = [] }) =>
      never.filter((word) => word.test(codeOf(text))).map((word) => `${path} says ${word} (${name})`),
    ),
  );
  t.same(found, []);
});

t.test('the environment is read by server.ts, the commands and the launcher alone', async (t) => {
  const readers = sources
    .filter(
      ({ path, text }) => !/^(bench|deploy\/test-support)\//.test(path) && environment.test(codeOf(text)),
    )
    .map(({ path }) => path);
  for (const path of readers)
    t.match(path, /\/src\/(server|launcher\/start|cli\/[a-z-]+|(doctor|drills)\/command)\.ts$/);
  t.ok(readers.length >= 3);
});

t.test('no file reaches itself through its imports', async (t) => {
  t.same(cyclesIn(sources), []);
});

t.test('the search for cycles finds one', async (t) => {
  const file = (path: string, ...targets: string[]) => ({
    path,
    text: '',
    imports: targets.map((target) => ({ target, isType: false })),
  });
  t.same(cyclesIn([file('a', 'b'), file('b', 'c'), file('c', 'b')]), ['b → c → b']);
});

t.test('every file begins with a line that says what it is for', async (t) => {
  const found = [...all, ...others]
    .filter(({ text }) => !/^(\/\/|--) \S+ \S+/.test(text))
    .map(({ path }) => path);
  t.same(found, []);
});

t.test('no file only re-exports', async (t) => {
  const onlyPassesOn = /^(?:export [^;]*? from '[^']+';\s*)+$/;
  // What a package exports is gathered in its entries.
  const isEntry = (path: string) =>
    /^(client\/src\/(session|challenge|element|react|tollgate)|host\/src\/tollgate)\.ts$/.test(path);
  const barrels = all.filter(({ path, text }) => {
    if (isEntry(path)) return false;
    const code = text.replace(/^\s*\/\/.*$/gm, '').trim();
    return /^export \*/m.test(code) || onlyPassesOn.test(code);
  });
  t.same(
    barrels.map(({ path }) => path),
    [],
  );
});

t.test('nothing is put off in a comment', async (t) => {
  const mark = new RegExp(
    `\\b(${['TO', 'FIX', 'XX'].map((head, at) => head + ['DO', 'ME', 'X'][at]).join('|')})\\b`,
  );
  t.match(`TO${'DO'}`, mark);
  t.same(
    [...all, ...others].filter(({ text }) => mark.test(text)).map(({ path }) => path),
    [],
  );
});

/** The first cycle that each file closes, as a path through its files. */
function cyclesIn(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) cycles.push([...above.slice(above.indexOf(path)), path].join(' → '));
    if (above.includes(path) || done.has(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) visit(target, [...above, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return cycles;
}
