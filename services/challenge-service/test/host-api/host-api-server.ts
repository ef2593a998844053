// Both listeners of the challenge service over one store, and a client that solves their challenges.

import type { ChallengeType } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { createLogger } from '@tollgate/shared/http';
import { openChallengeStore, openRequestCounter, type Store } from '@tollgate/shared/store';
import { trailTo } from '@tollgate/test-support/audit.js';
import { findNonce } from '@tollgate/test-support/find-nonce.js';
import type { FastifyInstance } from 'fastify';
import type { Test } from 'tap';
import { buildChallengeAdmin } from '../../src/admin.js';
import { buildApp } from '../../src/app.js';
import { readChallengeConfig } from '../../src/config.js';
import { createChallengeMetrics } from '../../src/plugins/challenge-metrics.js';
import { resolvePresets } from '../../src/presets/presets.js';

export const HOST_KEY = 'the-key-of-the-default-host-00001';
export const SHOP_KEY = 'the-key-of-the-shop-3141592653589';
export const IP = '203.0.113.7';

/** Cheap challenges, two applications. */
const environment = {
  PUBLIC_URL: 'http://localhost:8080',
  CHALLENGE_SECRET: 'challenge-secret-of-these-tests-01',
  HOST_API_KEY: HOST_KEY,
  HOST_API_KEYS: `shop:${SHOP_KEY}`,
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: '1',
  CAPTCHA_POW_VOLUME_STEP: '0',
  CAPTCHA_MIN_SECONDS: '0',
  RATE_LIMIT_POW: '100000',
  RATE_LIMIT_ISSUE: '100000',
};

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it whole
  readonly json: any;
}

export interface Sent {
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

export interface HostApi {
  readonly app: FastifyInstance;
  readonly admin: FastifyInstance;
  /** Calls the host API with the default application's key, or with `key`. */
  call(method: 'POST' | 'DELETE' | 'GET', path: string, body?: unknown, sent?: Sent): Promise<Answered>;
  verify(body: object, sent?: Sent): Promise<Answered>;
  /** Returns solved work under the configured field names. */
  work(query?: string): Promise<Record<string, string>>;
  /** Returns the token and the answer for an image. */
  image(): Promise<Record<string, string>>;
  /** Returns all log output. */
  log(): string;
}

/** Opens both listeners. The variables override the cheap defaults; an empty text removes one. */
export async function openHostApi(
  t: Test,
  store: Store,
  variables: Record<string, string> = {},
  kinds: readonly ChallengeType[] = [],
  raisedBits = () => 0,
  presets: Readonly<Record<string, unknown>> = {},
): Promise<HostApi> {
  const config = readChallengeConfig({ ...environment, ...variables });
  const { captcha, values } = config;
  let log = '';
  const stream = {
    write(line: string) {
      log += line;
    },
  };
  const logger = createLogger({ name: 'test', level: 'debug' }, stream);
  const metrics = createChallengeMetrics({ process: false });
  const deps = {
    challenges: openChallengeStore(store, captcha.cache.prefix),
    countRequest: openRequestCounter(store, captcha.cache.prefix),
    ring: openKeyRing(values.CHALLENGE_SECRET),
    images: null,
    raisedBits,
    kinds,
    presets: resolvePresets({ options: captcha, sources: [{ name: 'presets', presets }], kinds }).presets,
    onOtherDriver: () => {},
    redis: {},
    metrics,
    trail: trailTo((line) => stream.write(`${line}\n`), 'challenge-service', metrics.audit),
    logger,
  };
  const app = await buildApp(config, deps);
  const admin = await buildChallengeAdmin(config, deps, { checks: {}, state: { stopping: false } });
  await Promise.all([app.ready(), admin.ready()]);
  t.teardown(() => Promise.all([app.close(), admin.close()]));

  const { pow, fields, routes } = captcha;
  const call: HostApi['call'] = async (method, path, body, { key = HOST_KEY, headers = {} } = {}) => {
    const response = await admin.inject({
      method,
      url: path,
      headers: { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const json = response.body === '' ? undefined : response.json();
    return { status: response.statusCode, headers: response.headers, json };
  };
  const issued = async (path: string) => {
    const response = await app.inject({ url: `/${routes.prefix}${path}`, remoteAddress: IP });
    return response.json();
  };
  return {
    app,
    admin,
    call,
    verify: (body, sent) => call('POST', '/host/verify', body, sent),
    async work(query = '') {
      const { token, salt, difficulty } = await issued(`/pow${query}`);
      return { [pow.fields.token]: token, [pow.fields.nonce]: findNonce(salt, difficulty) };
    },
    async image() {
      const { token, answer } = await issued('');
      return { [fields.token]: token, [fields.answer]: answer };
    },
    log: () => log,
  };
}
