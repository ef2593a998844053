// Starts both images on a real Redis, as docker-compose.yml does, logs in, refreshes and requests an image.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { root } from '../prepare.js';
import { ended, follow, isReady } from './container-process.js';
import { examineOpened } from './opened-files.js';
import { useCommands, useSystem } from './use-system.js';

const user = 10_001;
const account = { email: 'someone@example.com', password: 'correct horse battery' };

/**
 * @param images names of both images
 * @param folder for files that containers share with this machine
 * @param report receives a title, whether the check passed, and details
 */
export async function trySystem(buildah, images, folder, report) {
  const place = mkdtempSync(join(folder, 'system-'));
  const ports = await freePorts(['redis', 'session', 'sessionAdmin', 'challenge', 'challengeAdmin']);
  const files = prepareFiles(place, ports.redis);
  const redis = spawn(
    'redis-server',
    [
      '--port',
      ports.redis,
      '--bind',
      '127.0.0.1',
      '--aclfile',
      join(files.secrets, 'session_store_acl'),
      '--save',
      '',
    ],
    { stdio: 'ignore' },
  );
  const containers = {
    session: buildah.read('from', '--pull-never', images.session),
    challenge: buildah.read('from', '--pull-never', images.challenge),
  };
  const { session, challenge } = environments(ports);
  const running = [];
  const start = (container, command, env) => {
    const child = buildah.start(container, command, { volumes: files.volumes, env });
    running.push(follow(child));
    return running.at(-1);
  };
  try {
    const users = ['node', 'services/session-service/dist/src/cli/users.js', 'add', account.email];
    const added = await ended(
      buildah.start(containers.session, users, {
        volumes: files.volumes,
        env: session,
        input: `${account.password}\n`,
      }),
    );
    report('session-service: an account can be added', added.code === 0, added.said.trim());
    const services = [
      [
        'session-service',
        start(containers.session, commandOf(buildah, images.session), session),
        ports.sessionAdmin,
      ],
      [
        'challenge-service',
        start(containers.challenge, commandOf(buildah, images.challenge), challenge),
        ports.challengeAdmin,
      ],
    ];
    for (const [name, service, port] of services) {
      report(`${name} is ready`, await isReady(port, service), service.isRunning() ? '' : service.said());
    }
    await useSystem(ports, account, report);
    await useCommands(buildah, containers, { volumes: files.volumes, session, challenge }, report);
    for (const [name, service] of services) {
      const { code } = await service.stop();
      report(`${name} exits with 0 on SIGTERM`, code === 0, code === 0 ? '' : `code ${code}`);
      report(`${name} logs no error`, !/"level":"(error|fatal)"|Fontconfig/.test(service.said()));
    }
    for (const container of Object.values(containers)) examineOpened(buildah, container, report);
  } finally {
    for (const service of running) await service.stop();
    const closed = once(redis, 'exit');
    redis.kill('SIGTERM');
    await closed;
    rmSync(place, { recursive: true, force: true });
  }
}

/** The secrets of docker-compose.yml, with this Redis address and a folder for users. */
function prepareFiles(place, redisPort) {
  const secrets = join(place, 'secrets');
  const made = spawnSync('sh', [join(root, 'deploy', 'compose', 'make-secrets.sh'), secrets], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(made.stderr);
  const password = readFileSync(join(secrets, 'session_store_password'), 'utf8');
  writeFileSync(join(secrets, 'store_url'), `redis://tollgate:${password}@127.0.0.1:${redisPort}\n`, {
    mode: 0o444,
  });
  // buildah mounts the whole folder; Compose mounts single files.
  spawnSync('chmod', ['0755', secrets]);
  const data = join(place, 'data');
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, user, user);
  return { secrets, volumes: { [secrets]: '/run/secrets:ro', [data]: '/data' } };
}

function environments(ports) {
  const file = (name) => `/run/secrets/${name}`;
  const common = {
    PUBLIC_URL: `http://127.0.0.1:${ports.session}`,
    BIND: '127.0.0.1',
    CHALLENGE_SECRET_FILE: file('challenge_secret'),
    STORE_URL_FILE: file('store_url'),
    DRAIN_SECONDS: '0',
    ALLOW_EMBEDDED: 'true',
  };
  return {
    session: {
      ...common,
      SESSION_PORT: ports.session,
      SESSION_ADMIN_PORT: ports.sessionAdmin,
      ACCESS_SECRET_FILE: file('access_secret'),
      REFRESH_SECRET_FILE: file('refresh_secret'),
      ENCRYPTION_KEY_FILE: file('encryption_key'),
    },
    challenge: { ...common, CHALLENGE_PORT: ports.challenge, CHALLENGE_ADMIN_PORT: ports.challengeAdmin },
  };
}

function commandOf(buildah, image) {
  return JSON.parse(buildah.read('inspect', '--type', 'image', image)).Docker.config.Cmd;
}

async function freePorts(names) {
  const servers = names.map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => String(server.address().port));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return Object.fromEntries(names.map((name, at) => [name, ports[at]]));
}
