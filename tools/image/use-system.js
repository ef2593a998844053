// Uses the services in their containers as a client and an operator do.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../prepare.js';
import { ended } from './container-process.js';

/** Solves work, logs in, reads the profile, refreshes and requests an image. */
export async function useSystem(ports, account, report) {
  const session = `http://127.0.0.1:${ports.session}`;
  const challenge = `http://127.0.0.1:${ports.challenge}`;
  const solved = spawnSync(
    process.execPath,
    [join(root, 'tools', 'solve.js'), `${challenge}/api/captcha/pow`],
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
  report('a login with work and password', login.status === 200, login.ok ? '' : JSON.stringify(others));
  if (!login.ok) return;
  const [cookie] = login.headers.getSetCookie().at(0).split(';');
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

/** Runs the commands of the images; canvas is the image library. */
export async function useCommands(buildah, containers, { volumes, session, challenge }, report) {
  const print =
    'const { cairoVersion, version } = require("canvas"); console.log(version, "on Cairo", cairoVersion)';
  const canvas = await ended(buildah.start(containers.challenge, ['node', '-e', print]));
  report('the image library is canvas', canvas.code === 0, canvas.said.trim());
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
  report('the captcha command draws samples', drawn.code === 0, drawn.code === 0 ? '' : drawn.said);
  const status = ['node', 'services/session-service/dist/src/cli/keys.js', 'status'];
  const keys = await ended(buildah.start(containers.session, status, { volumes, env: session }));
  report('the keys command reads the store', keys.code === 0, keys.code === 0 ? '' : keys.said);
  const programs = ['hash-password', 'person', 'session', 'users'].map(
    (name) => `services/session-service/dist/src/cli/${name}.js`,
  );
  // Loads the driver of PostgreSQL; nothing listens on this port.
  const statement = 'SELECT id, email, hash FROM users WHERE id = $1';
  const postgres = {
    ...session,
    USERS_URL: 'postgres://tollgate@127.0.0.1:1/shop',
    USERS_BY_EMAIL: statement,
    USERS_BY_ID: statement,
  };
  const person = ['node', 'services/session-service/dist/src/cli/person.js', 'export', 'nobody@example.com'];
  const people = await ended(buildah.start(containers.session, person, { volumes, env: postgres }));
  report(
    'the person command tries PostgreSQL',
    people.said.includes('user database does not respond'),
    people.said.trim(),
  );
  // Its findings do not matter here: the system has no gateway.
  const doctor = ['node', 'tools/dist/src/doctor/command.js', '--email', 'nobody@example.com', '--json'];
  const found = await ended(
    buildah.start(containers.session, doctor, { volumes, env: session, input: 'wrong password\n' }),
  );
  report('the doctor reports findings', found.said.startsWith('{'), found.said.slice(0, 200));
  for (const program of [...programs, 'tools/dist/src/doctor/command.js']) {
    const help = await ended(buildah.start(containers.session, ['node', program, '--help']));
    const isThere = help.code === 0 && help.said.startsWith('usage: ');
    report(`${program} is there`, isThere, isThere ? '' : help.said);
  }
}
