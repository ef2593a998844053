// The environment of a system on one machine: the user's variables, completed with defaults for local use.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileVariableOf } from '@tollgate/shared/config';

/** An actionable reason not to start: its message is complete, printed in the terminal without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The two services, named like their folders. */
export const serviceNames = ['challenge-service', 'session-service'] as const;
export type ServiceName = (typeof serviceNames)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** The root folder of the project; relative paths in the environment start here. */
export const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url));

/** The five ports: variable and default. */
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
 * The ports set by an environment; 0 means any free port.
 * @throws {StartError} naming each variable with an invalid port
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

/** Absolute path of the folder for embedded stores, secrets and logs. */
export function dataFolderOf(environment: Environment): string {
  return resolve(projectRoot, environment.DATA_DIR || 'data');
}

/** Adds defaults for local use to an environment; set variables win, and empty ones count as unset. */
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

/** The variables of a completed environment that `npm start` sets by itself, without those of the demo account. */
export function variablesSetLocally(environment: Environment, ports: Ports): Environment {
  const names = Object.keys(completeForLocalUse({}, ports)).filter((name) => !name.startsWith('DEMO_'));
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

const ofLauncher = ['DEMO_EMAIL', 'DEMO_PASSWORD', 'GATEWAY_PORT'];
const ofOneService: Readonly<Record<ServiceName, readonly string[]>> = {
  'challenge-service': ['HOST_API_KEY', 'HOST_API_KEYS'],
  'session-service': [
    ...['ACCESS_SECRET', 'ACCESS_SIGNING_KEYS', 'REFRESH_SECRET', 'ENCRYPTION_KEY', 'SESSION_API_KEY'],
  ],
};

/** The environment of one service, without unused secrets and launcher variables. */
export function environmentFor(name: ServiceName, environment: Environment): Environment {
  const ofOthers = serviceNames.flatMap((service) => (service === name ? [] : ofOneService[service]));
  const withheld = new Set([...ofLauncher, ...ofOthers].flatMap((each) => [each, fileVariableOf(each)]));
  return Object.fromEntries(Object.entries(environment).filter(([variable]) => !withheld.has(variable)));
}
