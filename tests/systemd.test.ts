// The systemd units: systemd accepts them, and rates a service's confinement.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { environmentWith } from '@tollgate/challenge-service/config.js';
import { loadAllExtensions } from '@tollgate/challenge-service/extensions.js';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import { fileVariableOf, secretVariablesOf } from '@tollgate/shared/config';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { nodeOptions, processVariables } from '@tollgate/tools/launcher/service-program.js';
import t from 'tap';
import { readProjectFile } from './docs/project-file.js';

const HIGHEST_EXPOSURE = 2;

const units = [
  {
    name: 'tollgate-session@.service',
    schema: SessionEnvironment,
    entry: 'session-service',
    dropIns: ['public-tokens.conf'],
  },
  {
    name: 'tollgate-challenge@.service',
    schema: environmentWith(await loadAllExtensions()),
    entry: 'challenge-service',
    dropIns: [],
  },
] as const;

const analyze = (...args: string[]) =>
  spawnSync('systemd-analyze', args, {
    cwd: join(projectRoot, 'deploy/systemd'),
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
  });
const isHere = analyze('--version').status === 0;
if (!isHere)
  t.comment('*** THE UNITS ARE NOT VERIFIED: install systemd so that systemd-analyze is on the PATH. ***');
const skip = isHere ? false : 'systemd-analyze is not installed';

/** The values of a setting, in order. */
function settings(unit: string, name: string): string[] {
  const lines = readProjectFile(`deploy/systemd/${unit}`).split('\n');
  return lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
}

for (const { name, schema, entry, dropIns } of units) {
  const files = [name, ...dropIns.map((file) => `${name}.d/${file}`)];
  t.test(`systemd accepts ${name} without a warning`, { skip }, async (t) => {
    // Node's location here; systemd looks for the program.
    const text = readProjectFile(`deploy/systemd/${name}`).replace('/usr/bin/node', process.execPath);
    const extended = Object.fromEntries(
      dropIns.map((file) => [file, readProjectFile(`deploy/systemd/${name}.d/${file}`)]),
    );
    for (const folder of [
      t.testdir({ [name]: text }),
      t.testdir({ [name]: text, [`${name}.d`]: extended }),
    ]) {
      const { status, stdout, stderr } = analyze('verify', join(folder, name));
      t.strictSame([status, stdout, stderr], [0, '', '']);
    }
  });

  t.test(`the exposure of ${name} is below ${HIGHEST_EXPOSURE}`, { skip }, async (t) => {
    const { stdout } = analyze('security', '--offline=true', '--no-pager', `./${name}`);
    const [, exposure] = /Overall exposure level for \S+: (\d+\.\d+)/.exec(stdout) ?? [];
    t.comment(`exposure ${exposure}`);
    t.ok(Number(exposure) < HIGHEST_EXPOSURE);
  });

  t.test(`${name} has its secrets as credentials, and starts its own program`, async (t) => {
    t.strictSame(settings(name, 'ExecStart'), [
      `/usr/bin/node ${nodeOptions.join(' ')} services/${entry}/dist/bundle/server.js`,
    ]);
    const every = (setting: string) => files.flatMap((file) => settings(file, setting));
    const credentials = every('LoadCredential').map((value) => value.split(':'));
    const known = secretVariablesOf(schema).map(fileVariableOf);
    const variables = every('Environment').flatMap((line) => line.split(' ').map((each) => each.split('=')));
    const given = variables.filter(([variable = '']) => known.includes(variable));
    t.strictSame(
      given.map(([, value]) => value),
      credentials.map(([id]) => `%d/${id}`),
    );
    const optional = dropIns.length === 0 ? [] : ['ACCESS_SIGNING_KEYS_FILE'];
    t.strictSame(
      settings(files.at(-1) ?? '', 'Environment').filter((line) =>
        optional.some((each) => line.startsWith(each)),
      ),
      optional.map((each) => `${each}=%d/access_signing_keys`),
    );
    t.match(Object.fromEntries(variables), processVariables);
    const names = [...Object.keys(schema.properties), ...Object.keys(processVariables), ...known];
    for (const [variable = ''] of variables) t.ok(names.includes(variable), variable);
    for (const [id, path] of credentials) t.equal(path, `/etc/tollgate/secrets/${id}`);
  });

  t.test(`${name} was given up after five starts in ten seconds`, async (t) => {
    const [unit = ''] = readProjectFile(`deploy/systemd/${name}`).split('[Service]');
    t.match(unit, /^StartLimitIntervalSec=0$/m, 'in the section that systemd reads it from');
    t.strictSame(settings(name, 'Restart'), ['always']);
  });

  t.test(`${name} has time for its drain and its shutdown`, async (t) => {
    const { default: drain } = schema.properties.DRAIN_SECONDS;
    t.ok(Number(settings(name, 'TimeoutStopSec')[0]) > Number(drain) + 20);
  });
}
