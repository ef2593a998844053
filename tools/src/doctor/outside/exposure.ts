// Checks that outsiders do not reach the admin ports.

import { Type } from '@sinclair/typebox';
import {
  ChallengeListenVariables,
  isLoopbackHost,
  readEnvironment,
  SessionListenVariables,
} from '@tollgate/shared/config';
import { type Answer, codeOf } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem, warning } from '../report.js';

type Environment = Readonly<Record<string, string | undefined>>;

const PORT_TIMEOUT_MS = 3000;

interface ExposureFacts {
  /** Responses of the public address for admin routes, by request. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** Responses of other ports of the public host, by port; empty if that host is this machine. */
  readonly ports: Readonly<Record<string, Answer>>;
}

/**
 * Requests admin routes through the gateway, and the services' own ports unless the host is this machine.
 */
export async function probeExposure(client: PublicClient, env: Environment): Promise<ExposureFacts> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const json = { 'content-type': 'application/json' };
  const answers = {
    'GET /metrics': client.send('GET', '/metrics'),
    'GET /health/ready': client.send('GET', '/health/ready'),
    'POST /introspect': client.send('POST', '/introspect', { headers: form, body: 'token=none' }),
    'POST /host/verify': client.send('POST', '/host/verify', { headers: json, body: '{}' }),
  };
  return { answers: await settle(answers), ports: await settle(probePorts(client, env)) };
}

/** Requests a known path at each port of the environment, by default the usual ports. */
function probePorts(client: PublicClient, env: Environment): Record<string, Promise<Answer>> {
  const { hostname, port: ownPort } = new URL(client.publicUrl);
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
    .map(([port, path]) => [
      port,
      client.get(`http://${hostname}:${port}${path}`, { timeoutMs: PORT_TIMEOUT_MS }),
    ]);
  return Object.fromEntries(entries);
}

async function settle(pending: Readonly<Record<string, Promise<Answer>>>): Promise<Record<string, Answer>> {
  const entries = Object.entries(pending).map(async ([name, answer]) => [name, await answer] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Requires that the gateway routes to no admin port; warns if the services are reachable without it. */
export function diagnoseExposure({ answers, ports }: ExposureFacts): Finding[] {
  const routed = Object.entries(answers).filter(([, answer]) => isAdmin(answer));
  const open = Object.entries(ports).filter(([, answer]) => isAdmin(answer) || isPublic(answer));
  const found: Finding[] = [];
  if (routed.length > 0) {
    found.push(
      problem(
        'admin_routed',
        `The gateway lets outsiders reach an admin port: ${routed.map(([name]) => name).join(', ')}.`,
        'Route only the paths of the two public ports, and none to 9001 and 9002.',
      ),
    );
  }
  if (open.length > 0) {
    found.push(
      warning(
        'ports_open',
        `Services are reachable from here without the gateway, at port ${open.map(([port]) => port).join(', ')}.`,
        'If this machine is outside, set BIND and ADMIN_BIND to an internal address, or close the ports.',
      ),
    );
  }
  return found.length > 0 ? found : [good('exposure', 'No admin port is reachable through the gateway.')];
}

/** Identified by the body, because many sites return 200 for every path. */
function isAdmin(answer: Answer): boolean {
  const { json, text } = answer;
  const { checks } = json;
  const isHealth = typeof checks === 'object' && checks !== null && 'store' in checks;
  const isMetrics = /^tollgate_[a-z_]+/m.test(text);
  return isHealth || isMetrics || ['api_key_invalid', 'host_key_invalid'].includes(codeOf(answer) ?? '');
}

/** Whether it is a response of a public port: without a bearer token, or for an unknown path. */
function isPublic(answer: Answer): boolean {
  return ['token_invalid', 'not_found'].includes(codeOf(answer) ?? '');
}
