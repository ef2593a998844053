// Builds the Dockerfile's base image where no container registry is reachable: Debian from debootstrap, Node from npm.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand, root, run as runQuietly } from '../prepare.js';

/** npm of the same line as Node; Node's npm package does not include it. */
const npmVersion = '11';
const architectures = { x64: 'x64', arm64: 'arm64' };

/** The base image name in the Dockerfile, without digest: an image built here has another. */
export function baseName() {
  const [, name] =
    /^ARG NODE_IMAGE=([^\s@]+)(@\S+)?$/m.exec(readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8')) ?? [];
  if (name === undefined) throw new Error('deploy/Dockerfile has no base image');
  return name;
}

/**
 * Builds an image with the base's name from Debian and npm packages of the versions in that name.
 * @param {string} folder for downloads
 */
export function makeBase(buildah, folder) {
  const name = baseName();
  const [, version, suite] = /^node:(\d+\.\d+\.\d+)-([a-z]+)-slim$/.exec(name) ?? [];
  const architecture = architectures[process.arch];
  if (version === undefined) throw new Error(`unexpected base image name: ${name}`);
  if (architecture === undefined) throw new Error(`no base image for ${process.arch}`);

  const system = join(folder, 'debian');
  rmSync(system, { recursive: true, force: true });
  run('debootstrap', ['--variant=minbase', '--include=ca-certificates', suite, system]);
  const local = join(system, 'usr', 'local');
  const node = unpack(`node-linux-${architecture}@${version}`, folder);
  for (const part of ['bin', 'include', 'LICENSE'])
    cpSync(join(node, part), join(local, part), { recursive: true });
  const modules = join(local, 'lib', 'node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(unpack(`npm@${npmVersion}`, folder), join(modules, 'npm'), { recursive: true });
  for (const command of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${command}-cli.js`, join(local, 'bin', command));
  }

  const container = buildah.read('from', 'scratch');
  buildah.read('add', container, `${system}/`, '/');
  // Builds must also reach a registry behind this machine's certificate; images start without it.
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates !== undefined && existsSync(certificates)) {
    buildah.read('copy', container, certificates, '/etc/extra-certificates.pem');
    buildah.read('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/extra-certificates.pem', container);
  }
  buildah.read('config', '--cmd', 'node', container);
  buildah.read('commit', '--rm', container, `docker.io/library/${name}`);
  rmSync(system, { recursive: true, force: true });
}

/** Downloads a package and returns its folder. */
function unpack(name, folder) {
  const place = join(folder, name.replace(/[^a-z0-9]/g, '-'));
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const { ok, output } = runQuietly(
    ...npmCommand(['pack', name, '--pack-destination', place, '--loglevel=error']),
  );
  if (!ok) throw new Error(`${name} cannot be downloaded:\n${output}`);
  const [archive = ''] = readdirSync(place);
  run('tar', ['--extract', '--gzip', '--file', join(place, archive), '--directory', place]);
  return join(place, 'package');
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} failed${error === undefined ? '' : `: ${error.message}`}`);
}
