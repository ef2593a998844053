// The production gateway in front of all processes: Caddy with the shipped file.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Lab } from './lab.js';
import { findProgram, launchServer, type ServerProcess } from './server-process.js';
import type { Service } from './services.js';

/** Starts the gateway. @param publicUrl `http://localhost:PORT`, where it listens */
export async function startGateway(
  lab: Lab,
  publicUrl: string,
  sessions: readonly Service[],
  challenges: readonly Service[],
): Promise<ServerProcess> {
  const program = lab.environment.CADDY || findProgram(lab, ['caddy']);
  const file = join(lab.folder, 'Caddyfile');
  writeFileSync(file, readFileSync(join(projectRoot, 'deploy', 'gateway', 'Caddyfile')));
  return launchServer(lab, {
    name: 'Caddy',
    program,
    args: ['run', '--config', file, '--adapter', 'caddyfile'],
    environment: {
      HOME: lab.folder,
      XDG_DATA_HOME: lab.folder,
      XDG_CONFIG_HOME: lab.folder,
      PUBLIC_URL: publicUrl,
      SESSION_UPSTREAM: upstreams(sessions),
      CHALLENGE_UPSTREAM: upstreams(challenges),
      BUFFERING: bufferingOf(program),
    },
    ready: () => answers(publicUrl),
  });
}

const upstreams = (services: readonly Service[]) =>
  services.map(({ publicUrl }) => new URL(publicUrl).host).join(' ');

/** Before 2.7 Caddy had another name for request buffers. */
function bufferingOf(program: string): string {
  const [, minor = '0'] = /2\.(\d+)/.exec(execFileSync(program, ['version'], { encoding: 'utf8' })) ?? [];
  return Number(minor) < 7 ? 'buffer_requests' : 'request_buffers unlimited';
}

/** Any response shows that a server is listening. */
async function answers(publicUrl: string): Promise<boolean> {
  const { port, host } = new URL(publicUrl);
  const asked = fetch(`http://127.0.0.1:${port}/`, { headers: { host }, signal: AbortSignal.timeout(1_000) });
  return asked.then(
    () => true,
    () => false,
  );
}
