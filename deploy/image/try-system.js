// Starts both images on a real Redis, as docker-compose.yml does, and signs in, refreshes, and has an image drawn.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../prepare.js';

const user = 10_001;
const readyMs = 60_000;
const account = { email: 'someone@example.com', password: 'correct horse battery' };

/**
 * @param images the names of both images
 * @param folder for files that the containers share with this machine
 * @param report takes a title, whether it holds, and details
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
    report('session-service: an account is added', added.code === 0, added.said.trim());
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
    await useSystem(ports, report);
    await useCommands(buildah, containers, { volumes: files.volumes, session, challenge }, report);
    for (const [name, service] of services) {
      const { code } = await service.stop();
      report(`${name} ends well on SIGTERM`, code === 0, code === 0 ? '' : `code ${code}`);
      report(`${name} logs no error`, !/"level":"(error|fatal)"|Fontconfig/.test(service.said()));
    }
  } finally {
    for (const service of running) await service.stop();
    const closed = once(redis, 'exit');
    redis.kill('SIGTERM');
    await closed;
    rmSync(place, { recursive: true, force: true });
  }
}

/** The secrets of docker-compose.yml, with the address of this Redis, and a folder for the users. */
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
  // buildah mounts the whole folder, where Compose mounts single files.
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

/** Works, signs in, reads the profile, refreshes, and looks at an image. */
async function useSystem(ports, report) {
  const session = `http://127.0.0.1:${ports.session}`;
  const challenge = `http://127.0.0.1:${ports.challenge}`;
  const solved = spawnSync(
    process.execPath,
    [join(root, 'deploy', 'solve.js'), `${challenge}/api/captcha/pow`],
    {
      encoding: 'utf8',
    },
  );
  report('work is issued and solved', solved.status === 0, solved.stderr.trim());
  if (solved.status !== 0) return;
  const login = await fetch(`${session}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...account, ...JSON.parse(solved.stdout) }),
  });
  const { accessToken, ...others } = await login.json();
  report('a log-in with work and password', login.status === 200, login.ok ? '' : JSON.stringify(others));
  if (!login.ok) return;
  const [cookie] = login.headers.getSetCookie()[0].split(';');
  const profile = await fetch(`${session}/profile`, { headers: { authorization: `Bearer ${accessToken}` } });
  report('a protected route', profile.status === 200 && (await profile.json()).email === account.email);
  const refresh = await fetch(`${session}/refresh`, { method: 'POST', headers: { cookie } });
  report('a refresh', refresh.status === 200);

  const issued = await (await fetch(`${challenge}/api/captcha`)).json();
  const image = await fetch(`${challenge}${new URL(issued.url).pathname}`);
  const bytes = Buffer.from(await image.arrayBuffer());
  const isPng = bytes.subarray(1, 4).toString('latin1') === 'PNG';
  report('an image is drawn', image.status === 200 && isPng, `${bytes.length} bytes`);
}

/** The commands of the images load; canvas is the library that draws. */
async function useCommands(buildah, containers, { volumes, session, challenge }, report) {
  const print =
    'const { cairoVersion, version } = require("canvas"); console.log(version, "on Cairo", cairoVersion)';
  const canvas = await ended(buildah.start(containers.challenge, ['node', '-e', print]));
  report('the library that draws is canvas', canvas.code === 0, canvas.said.trim());
  const preview = [
    'node',
    'services/challenge-service/dist/src/cli/captcha.js',
    'preview',
    '--count',
    '2',
    '--path',
    '/tmp/a',
  ];
  const drawn = await ended(buildah.start(containers.challenge, preview, { volumes, env: challenge }));
  report('the command captcha draws samples', drawn.code === 0, drawn.code === 0 ? '' : drawn.said);
  const status = ['node', 'services/session-service/dist/src/cli/keys.js', 'status'];
  const keys = await ended(buildah.start(containers.session, status, { volumes, env: session }));
  report('the command keys reads the store', keys.code === 0, keys.code === 0 ? '' : keys.said);
  const help = await ended(
    buildah.start(containers.session, ['node', 'deploy/dist/src/doctor/command.js', '--help']),
  );
  report('the doctor is there', help.code === 0 && help.said.startsWith('usage: doctor'));
}

/** A service in a container: what it says, and its end. */
function follow(child) {
  let said = '';
  let running = true;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const end = once(child, 'close').then(([code]) => {
    running = false;
    return { code };
  });
  return {
    said: () => said,
    isRunning: () => running,
    async stop() {
      // buildah passes no signal on to what it runs.
      if (running) process.kill(innermost(child.pid), 'SIGTERM');
      return end;
    },
  };
}

/** Waits for the end of a command. */
async function ended(child) {
  const command = follow(child);
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, said: command.said() };
}

/** The process at the end of a chain of only children. */
function innermost(pid) {
  // A program with threads has children in any of them.
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
  return children.length === 0 ? pid : innermost(children[0]);
}

async function isReady(port, service) {
  const deadlineMs = performance.now() + readyMs;
  while (service.isRunning() && performance.now() < deadlineMs) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (answer?.ok) return true;
    await pause(100);
  }
  return false;
}

async function freePorts(names) {
  const servers = names.map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => String(server.address().port));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return Object.fromEntries(names.map((name, at) => [name, ports[at]]));
}
