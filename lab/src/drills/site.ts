// The system of a drill: a topology of stores, two processes of each service on it, the gateway in front of them.
import { randomBytes } from 'node:crypto';
import { emailOf, PASSWORD, PEOPLE } from '@tollgate/test-support/static-directory.js';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import type { Target } from './load/world.js';
import { startGateway } from './servers/gateway.js';
import type { Lab, Topology } from './servers/lab.js';
import type { ServerProcess } from './servers/server-process.js';
import { prepareService, type Service, STATIC_DIRECTORY } from './servers/services.js';

/** A running system. */
export interface Site<Stage extends Topology = Topology> {
  readonly lab: Lab;
  readonly stage: Stage;
  readonly sessions: readonly [Service, Service];
  readonly challenges: readonly [Service, Service];
  readonly services: readonly Service[];
  readonly gateway: ServerProcess;
  readonly target: Target;
}

const DIFFICULTY = 1;
const STEP = 2;

/** The number of failures for a difficulty under these options. */
export const failuresAt = (difficulty: number) => (difficulty - DIFFICULTY) / STEP;

/** Cheap challenges, no limits, and a window after which sessions that are refreshed every few seconds rotate. */
const CHEAP: Environment = {
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: `${DIFFICULTY}`,
  CAPTCHA_POW_STEP: `${STEP}`,
  CAPTCHA_POW_MAX_DIFFICULTY: '13',
  CAPTCHA_POW_VOLUME_STEP: '0',
  CAPTCHA_MIN_SECONDS: '0',
  REFRESH_WINDOW: '10',
  MAX_SESSIONS: '1000',
  ...Object.fromEntries(
    ['POW', 'ISSUE', 'IMAGE', 'LOGIN', 'REFRESH', 'SESSION'].map((name) => [`RATE_LIMIT_${name}`, '1000000']),
  ),
};

const SECRETS = ['ACCESS_SECRET', 'REFRESH_SECRET', 'ENCRYPTION_KEY', 'CHALLENGE_SECRET', 'HOST_API_KEY'];

const DRAIN_SECONDS = 1;

/** Starts everything; resolves when it serves. @param environment of the drill; overrides all others */
export async function openSite<Stage extends Topology>(
  lab: Lab,
  openStage: (lab: Lab) => Promise<Stage>,
  environment: Environment = {},
): Promise<Site<Stage>> {
  const stage = await openStage(lab);
  const publicUrl = `http://localhost:${await lab.freePort()}`;
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, randomBytes(32).toString('hex')]));
  const all: Environment = {
    ...lab.environment,
    ...CHEAP,
    ...secrets,
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: 'loopback',
    DATA_DIR: lab.folder,
    USERS_URL: `module:${STATIC_DIRECTORY}`,
    ...stage.environment,
    ...environment,
  };
  const ports = {
    session: await lab.freePort(),
    sessionAdmin: await lab.freePort(),
    challenge: await lab.freePort(),
    challengeAdmin: await lab.freePort(),
  };
  const options = {
    environment: all,
    drainSeconds: Number(all.DRAIN_SECONDS ?? DRAIN_SECONDS),
    ...(stage.under && { under: stage.under }),
  };
  const prepare = (name: Service['name'], node: number) => prepareService(lab, name, node, ports, options);
  const sessions = [prepare('session-service', 1), prepare('session-service', 2)] as const;
  const challenges = [prepare('challenge-service', 1), prepare('challenge-service', 2)] as const;
  const services = [...sessions, ...challenges];
  await Promise.all(services.map((service) => service.start()));
  const gateway = await startGateway(lab, publicUrl, sessions, challenges);
  const target: Target = {
    publicUrl,
    hostApiUrls: challenges.map(({ adminUrl }) => adminUrl),
    hostApiKey: secrets.HOST_API_KEY as string,
    people: stage.people ?? Array.from({ length: PEOPLE }, (_, at) => emailOf(at + 1)),
    password: PASSWORD,
  };
  return { lab, stage, sessions, challenges, services, gateway, target };
}
