// The settings of a local system: the environment it is given, completed with what suits one machine.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from './start-error.js';

/** The two deployables, named as their folders are. */
export const serviceNames = ['challenge-service', 'session-service'] as const;
export type ServiceName = (typeof serviceNames)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** The root folder of the project; relative paths in the environment start here. */
export const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url));

/** The five ports: the variable that sets each, and its default. */
export const portVariables = {
  gateway: ['GATEWAY_PORT', 8080],
  session: ['SESSION_PORT', 3001],
  sessionAdmin: ['SESSION_ADMIN_PORT', 9001],
  challenge: ['CHALLENGE_PORT', 3002],
  challengeAdmin: ['CHALLENGE_ADMIN_PORT', 9002],
} as const;

export type PortName = keyof typeof portVariables;
export type Ports = Readonly<Record<PortName, number>>;

/**
 * The ports that an environment asks for; 0 stands for any free one.
 * @throws {StartError} naming each variable that is not a port
 */
export function readPorts(environment: Environment): Ports {
  const mistakes: string[] = [];
  const entries = Object.entries(portVariables).map(([name, [variable, byDefault]]) => {
    const text = environment[variable];
    const port = text === undefined || text === '' ? byDefault : Number(text);
    if (!/^\d*$/.test(text ?? '') || port > 65_535) {
      mistakes.push(`${variable} must be a whole number from 0 to 65535.`);
    }
    return [name, port];
  });
  if (mistakes.length > 0) throw new StartError(mistakes.join('\n'));
  return Object.fromEntries(entries) as Ports;
}

/** Absolute path of the folder for the embedded stores, the secrets and the logs. */
export function dataFolderOf(environment: Environment): string {
  return resolve(projectRoot, environment.DATA_DIR || 'data');
}

/** What the services are started with on one machine; whatever the environment says wins. */
export function completeForLocalUse(environment: Environment, ports: Ports): Environment {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  return {
    PUBLIC_URL: `http://localhost:${ports.gateway}`,
    TRUST_PROXY: 'loopback',
    DRAIN_SECONDS: '0',
    DEMO_EMAIL: 'demo@example.com',
    ...given,
    DATA_DIR: dataFolderOf(environment),
    SESSION_PORT: `${ports.session}`,
    SESSION_ADMIN_PORT: `${ports.sessionAdmin}`,
    CHALLENGE_PORT: `${ports.challenge}`,
    CHALLENGE_ADMIN_PORT: `${ports.challengeAdmin}`,
  };
}

/** The address at which this machine reaches something bound to `bind`, as it stands in a URL. */
export function reachableHost(bind: string | undefined): string {
  if (bind === undefined || bind === '' || bind === '0.0.0.0' || bind === '::') return '127.0.0.1';
  return bind.includes(':') ? `[${bind}]` : bind;
}

/** What one service is started with: no secret that it has no use for, and nothing of the launcher's own. */
export function environmentFor(name: ServiceName, environment: Environment): Environment {
  const { DEMO_EMAIL: _email, DEMO_PASSWORD: _password, GATEWAY_PORT: _port, ...common } = environment;
  const { HOST_API_KEY: _host, HOST_API_KEYS: _hosts, ...session } = common;
  if (name === 'session-service') return session;
  const {
    ACCESS_SECRET: _access,
    REFRESH_SECRET: _refresh,
    ENCRYPTION_KEY: _key,
    SESSION_API_KEY: _api,
    ...challenge
  } = common;
  return challenge;
}
