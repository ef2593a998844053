// Knocks where only operators should be let in.

import { Type } from '@sinclair/typebox';
import { readEnvironment } from '@tollgate/shared/config/environment.js';
import { isLoopbackHost } from '@tollgate/shared/config/hosts.js';
import { ChallengeListenVariables, SessionListenVariables } from '@tollgate/shared/config/variables.js';
import type { Answer } from '../answer.js';
import type { Environment } from '../environment.js';
import type { Visitor } from '../visitor.js';
import type { ExposureFacts } from './exposure.js';

const KNOCK_MS = 3000;

/** Through the gateway, and beside it unless the host is this machine. */
export async function lookAtExposure(visitor: Visitor, env: Environment): Promise<ExposureFacts> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const json = { 'content-type': 'application/json' };
  const answers = {
    'GET /metrics': visitor.send('GET', '/metrics'),
    'GET /health/ready': visitor.send('GET', '/health/ready'),
    'POST /introspect': visitor.send('POST', '/introspect', { headers: form, body: 'token=none' }),
    'POST /host/verify': visitor.send('POST', '/host/verify', { headers: json, body: '{}' }),
  };
  return { answers: await all(answers), ports: await all(knockAtPorts(visitor, env)) };
}

/** At the ports of the environment, else at the usual ones; at each a path that its service answers. */
function knockAtPorts(visitor: Visitor, env: Environment): Record<string, Promise<Answer>> {
  const { hostname, port: ownPort } = new URL(visitor.publicUrl);
  if (isLoopbackHost(hostname)) return {};
  const ports = readEnvironment(Type.Object({ ...SessionListenVariables, ...ChallengeListenVariables }), env);
  const paths: [number, string][] = [
    [ports.SESSION_ADMIN_PORT, '/health/ready'],
    [ports.CHALLENGE_ADMIN_PORT, '/health/ready'],
    [ports.SESSION_PORT, '/verify'],
    [ports.CHALLENGE_PORT, '/'],
  ];
  const entries = paths
    .filter(([port]) => String(port) !== ownPort)
    .map(([port, path]) => [port, visitor.ask(`http://${hostname}:${port}${path}`, { timeoutMs: KNOCK_MS })]);
  return Object.fromEntries(entries);
}

async function all(waiting: Readonly<Record<string, Promise<Answer>>>): Promise<Record<string, Answer>> {
  const entries = Object.entries(waiting).map(async ([name, answer]) => [name, await answer] as const);
  return Object.fromEntries(await Promise.all(entries));
}
