// A whole system for a test: both services as processes, the gateway, a store, users, and helpers.

import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EmbeddedDirectory,
  openEmbeddedDirectory,
} from '@tollgate/session-service/directory/embedded-directory.js';
import { hashPassword } from '@tollgate/session-service/passwords/password-hash.js';
import { ageRedis } from '@tollgate/test-support/ageing.js';
import { type RedisServer, startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import {
  completeForLocalUse,
  type Environment,
  environmentFor,
  type Ports,
  type ServiceName,
} from '@tollgate/tools/launcher/local-environment.js';
import { waitUntilAllReady } from '@tollgate/tools/launcher/readiness.js';
import { type ServiceProcess, startService } from '@tollgate/tools/launcher/service-process.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Test } from 'tap';
import { solve, type Work } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import { type Answer, type Client, connectTo, type Sent } from './client.js';
import { Secrets } from './secrets.js';

export type StoreKind = 'embedded' | 'redis';

export interface User {
  readonly id: number;
  readonly email: string;
  readonly password: string;
}

/** A successful login. */
export interface SignedIn {
  readonly answer: Answer;
  readonly accessToken: string;
  /** `refreshToken=…`, ready for a Cookie header. */
  readonly cookie: string;
}

export interface Site {
  readonly kind: StoreKind;
  readonly system: System;
  readonly redis: RedisServer | undefined;
  /** The file of the embedded store; undefined on Redis. */
  readonly storeFile: string;
  readonly secrets: Secrets;
  readonly directory: EmbeddedDirectory;
  /** The one public port. */
  readonly gateway: Client;
  /** The services themselves, as reached by a trusted proxy. */
  readonly session: Client;
  readonly challenge: Client;
  readonly sessionAdmin: Client;
  readonly challengeAdmin: Client;
  /** An unused address. */
  newAddress(): string;
  /** An e-mail address without an account. */
  newEmail(): string;
  newUser(): Promise<User>;
  /** The two fields of a solved proof of work; with a ticket, at its account's price. */
  work(sent?: { ip?: string; scope?: string }): Promise<{ pow_token: string; pow_nonce: string }>;
  /** The two fields of a solved image; requires the test mode. */
  image(): Promise<{ captcha_token: string; captcha: string }>;
  /** A new ticket of an account, from a login with solved work and an unknown image. */
  scopeOf(email: string): Promise<string>;
  /** A login with solved work at the price of the account's last rejection; `sent.body` adds to its body. */
  tryLogIn(account: { email: string; password: string }, sent?: LogIn): Promise<Answer>;
  logIn(user: User, sent?: LogIn): Promise<SignedIn>;
  refresh(cookie: string | readonly string[], sent?: Sent): Promise<Answer>;
  /** Ages all stored data. On the embedded store, which uses the processes' clock, tokens age with it. */
  age(ms: number): Promise<void>;
  /** How far the processes' clocks are ahead because of `age`. */
  clockAheadMs(): number;
  /** Moves the clock of one service's process ahead of the machine's by this amount. */
  moveClock(service: ServiceName, aheadMs: number): Promise<void>;
  /** Restarts a service on its ports; resolves when its readiness has the status, by default 200. */
  restart(service: ServiceName, status?: 200 | 503): Promise<void>;
  /** One more session-service process on the same stores, on its own ports. */
  addSessionService(): Promise<Client>;
  /** The same for challenge-service. */
  addChallengeService(): Promise<Client>;
  /** The logged security events of a kind, with their fields. */
  events(event: string): Promise<SecurityEvent[]>;
  /** The complete log of every process. */
  logs(): Promise<string>;
}

/** Variables of one service only. */
type ServiceEnvironment = Readonly<Partial<Record<ServiceName, Environment>>>;

export interface SecurityEvent {
  readonly sid?: string;
  readonly uid?: number;
}

export interface LogIn {
  readonly body?: object;
  readonly headers?: Sent['headers'];
  /** Sends it directly to the service, as from this address, without the gateway. */
  readonly ip?: string;
  readonly client?: Client;
}

const FREE_PORTS = {
  GATEWAY_PORT: '0',
  SESSION_PORT: '0',
  SESSION_ADMIN_PORT: '0',
  CHALLENGE_PORT: '0',
  CHALLENGE_ADMIN_PORT: '0',
};

/** Cheap challenges and high limits, for tests of other subjects. */
export const CHEAP: Environment = {
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: '1',
  CAPTCHA_POW_MAX_DIFFICULTY: '8',
  CAPTCHA_POW_VOLUME_STEP: '0',
  CAPTCHA_MIN_SECONDS: '0',
  RATE_LIMIT_POW: '100000',
  RATE_LIMIT_ISSUE: '100000',
  RATE_LIMIT_IMAGE: '100000',
  RATE_LIMIT_LOGIN: '100000',
  RATE_LIMIT_LOGIN_CODE: '100000',
  RATE_LIMIT_REFRESH: '100000',
  RATE_LIMIT_SESSION: '100000',
};

const PASSWORD = 'correct horse battery staple';
const CLOCK = new URL('./clock.js', import.meta.url).href;

let passwordHash: Promise<string> | undefined;

/**
 * Runs the same tests on the embedded store and on Redis, each in its own system.
 * @param startOnRedis how to start the services on Redis; by default as processes
 */
export async function eachStore(
  t: Test,
  environment: Environment,
  run: (t: Test, site: Site) => Promise<void>,
  startOnRedis = startService,
): Promise<void> {
  await t.test('on the embedded store', (t) => onStore(t, 'embedded', environment, run));
  await t.test('on Redis', (t) => onStore(t, 'redis', environment, run, {}, startOnRedis));
}

/**
 * Runs tests in a system on Redis with the services in the test's process: for responses that both stores share, which the
 * store contracts prove. `moveClock` is not available.
 */
export async function onRedis(
  t: Test,
  environment: Environment,
  run: (t: Test, site: Site) => Promise<void>,
): Promise<void> {
  await t.test('on Redis', (t) => onStore(t, 'redis', environment, run, {}, startServiceHere));
}

/** Runs tests in a system on one store; afterwards the log must contain none of the run's secrets. */
export async function onStore(
  t: Test,
  kind: StoreKind,
  environment: Environment,
  run: (t: Test, site: Site) => Promise<void>,
  serviceEnvironment: ServiceEnvironment = {},
  startOne: typeof startService = startService,
): Promise<void> {
  const site = await openSite(t, kind, environment, serviceEnvironment, startOne);
  await run(t, site);
  await t.test('the log of the run contains none of its secrets', async (t) => {
    const log = await site.logs();
    t.match(log, /"msg":"request"/);
    t.ok(site.secrets.count > 2, 'the run had secrets');
    t.strictSame(site.secrets.leaksIn(log), []);
  });
}

async function openSite(
  t: Test,
  kind: StoreKind,
  given: Environment,
  serviceEnvironment: ServiceEnvironment,
  startOne: typeof startService,
): Promise<Site> {
  const folder = tempDir(t);
  const redis = kind === 'redis' ? await startRedis(t) : undefined;
  const environment: Environment = {
    LOG_LEVEL: 'debug',
    ...FREE_PORTS,
    ...given,
    DATA_DIR: folder,
    NODE_OPTIONS: `--import ${CLOCK}`,
    ...(redis === undefined ? {} : { STORE_URL: redis.url }),
  };
  const system = await startSystem({ environment, serviceEnvironment, startService: startOne });
  t.teardown(() => system.stop());
  const directory = openEmbeddedDirectory(join(folder, 'users.db'));
  t.teardown(() => directory.close());

  const secrets = new Secrets();
  secrets.note(PASSWORD, ...Object.values(system.secrets), system.demo?.email ?? '');
  const at = (port: number) => {
    const client = connectTo(`http://127.0.0.1:${port}`, secrets);
    t.teardown(() => client.close());
    return client;
  };
  const processes: Record<ServiceName, ServiceProcess> = { ...system.processes };
  const logs = [
    readLog(processes['session-service'], at(system.ports.sessionAdmin)),
    readLog(processes['challenge-service'], at(system.ports.challengeAdmin)),
  ];
  const allLogs = async () => (await Promise.all(logs.map((read) => read()))).join('');
  const environmentOf = (name: ServiceName, ports: Ports) => ({
    ...environmentFor(name, completeForLocalUse({ ...environment, ...system.secrets }, ports)),
    ...serviceEnvironment[name],
  });
  const start = async (
    name: ServiceName,
    ports: Ports,
    logName: string,
    status = 200,
  ): Promise<ServiceProcess> => {
    const service = startOne(name, {
      environment: environmentOf(name, ports),
      logFile: join(folder, 'logs', `${logName}.log`),
    });
    t.teardown(() => service.stop(5_000));
    const admin = at(name === 'session-service' ? ports.sessionAdmin : ports.challengeAdmin);
    const url = `${admin.url}/health/ready`;
    const timeouts = { unreadyMs: 10_000, silentMs: 30_000 };
    // What has no explanation will do.
    const explain = (body: string) => (status === 200 ? body : undefined);
    await waitUntilAllReady([{ service, url, explain }], timeouts);
    logs.push(readLog(service, admin));
    return service;
  };

  const startAnother = async (name: ServiceName): Promise<Ports> => {
    const ports = await settlePorts(ANY_PORTS);
    await start(name, ports, `${name}.${logs.length}`);
    return ports;
  };

  const gateway = at(system.gatewayPort);
  const session = at(system.ports.session);
  const challenge = at(system.ports.challenge);
  const prefix = `/${environment.CAPTCHA_ROUTES_PREFIX ?? 'api/captcha'}`;
  /** The last ticket of each account, which a client sends with its next request for work. */
  const scopes = new Map<string, string>();
  let addresses = 0;
  let emails = 0;
  let aheadMs = 0;

  const nextAddress = () => {
    addresses += 1;
    return `198.18.${addresses >> 8}.${addresses & 255}`;
  };
  const newEmail = () => {
    emails += 1;
    const email = `Person.${emails}@mail${emails}.example`;
    secrets.note(email, email.toLowerCase());
    return email;
  };
  const work: Site['work'] = async ({ ip, scope } = {}) => {
    const client = ip === undefined ? gateway : challenge;
    const query = scope === undefined ? '' : `?scope=${scope}`;
    const { status, json } = await client.get(`${prefix}/pow${query}`, ip === undefined ? {} : { ip });
    if (status !== 200) throw new Error(`no work was issued: ${status}`);
    return { pow_token: json.token, pow_nonce: solve(json as Work) };
  };
  const tryLogIn: Site['tryLogIn'] = async ({ email, password }, sent = {}) => {
    const { body, headers, ip } = sent;
    const client = sent.client ?? (ip === undefined ? gateway : session);
    const from = ip === undefined ? {} : { ip };
    const scope = scopes.get(email);
    secrets.note(password);
    const answer = await client.post('/login', {
      body: { email, password, ...(await work({ ...from, ...(scope && { scope }) })), ...body },
      ...(headers === undefined ? {} : { headers }),
      ...from,
    });
    const next = answer.json?.pow_scope;
    if (typeof next === 'string') scopes.set(email, next);
    return answer;
  };
  const moveClock: Site['moveClock'] = async (service, ms) => {
    const { child } = processes[service];
    const moved = once(child, 'message');
    child.send({ aheadMs: ms });
    await moved;
  };

  return {
    kind,
    system,
    redis,
    storeFile: join(folder, 'tollgate.db'),
    secrets,
    directory,
    gateway,
    session,
    challenge,
    sessionAdmin: at(system.ports.sessionAdmin),
    challengeAdmin: at(system.ports.challengeAdmin),
    newAddress: nextAddress,
    newEmail,
    async newUser() {
      passwordHash ??= hashPassword(PASSWORD);
      const email = newEmail();
      const user = await directory.add(email, await passwordHash);
      if (user === undefined) throw new Error(`${email} already exists`);
      return { id: Number(user.id), email, password: PASSWORD };
    },
    work,
    async scopeOf(email) {
      const image = { captcha_token: 'a'.repeat(40), captcha: 'x' };
      const ip = nextAddress();
      const body = { email, password: 'x', ...(await work({ ip })), ...image };
      const { json } = await session.post('/login', { ip, body });
      if (typeof json.pow_scope !== 'string') throw new Error('no ticket was returned');
      return json.pow_scope;
    },
    async image() {
      const { json } = await gateway.get(prefix);
      return { captcha_token: json.token, captcha: json.answer };
    },
    tryLogIn,
    async logIn(user, sent) {
      const answer = await tryLogIn(user, sent);
      if (answer.status !== 200) throw new Error(`the login was rejected: ${answer.text}`);
      const cookie = answer.cookies.at(0)?.split(';')[0] ?? '';
      return { answer, accessToken: answer.json.accessToken, cookie };
    },
    refresh: (cookie, sent = {}) => {
      const client = sent.ip === undefined ? gateway : session;
      const header = { cookie: typeof cookie === 'string' ? cookie : cookie.join('; ') };
      return client.post('/refresh', { ...sent, headers: { ...header, ...sent.headers } });
    },
    async age(ms) {
      if (redis !== undefined) return ageRedis(redis.client, ms);
      aheadMs += ms;
      await Promise.all([moveClock('session-service', aheadMs), moveClock('challenge-service', aheadMs)]);
    },
    clockAheadMs: () => aheadMs,
    moveClock,
    async restart(name, status) {
      await processes[name].stop(5_000);
      processes[name] = await start(name, system.ports, `${name}.${logs.length}`, status);
      if (redis === undefined) await moveClock(name, aheadMs);
    },
    addSessionService: async () => at((await startAnother('session-service')).session),
    addChallengeService: async () => at((await startAnother('challenge-service')).challenge),
    events: async (event) =>
      (await allLogs())
        .split('\n')
        .filter((line) => line.includes(`"event":"${event}"`))
        .map((line) => JSON.parse(line)),
    logs: allLogs,
  };
}

/** Reads a process's log after all earlier output has arrived in it. */
function readLog(service: ServiceProcess, admin: Client): () => Promise<string> {
  let marks = 0;
  const countMarks = () => service.log().split('"route":"/health/live"').length - 1;
  return async () => {
    if (service.isRunning()) {
      marks += 1;
      await admin.get('/health/live');
      while (service.isRunning() && countMarks() < marks) await sleep(2);
    }
    return service.log();
  };
}
