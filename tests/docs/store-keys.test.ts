// docs/store-keys.md lists every store key, and no other.
import { join } from 'node:path';
import { buildApp as buildChallengeApp } from '@tollgate/challenge-service/app.js';
import { readChallengeConfig } from '@tollgate/challenge-service/config.js';
import { makeSecret } from '@tollgate/challenge-service/extensions/drop-in/site-secrets.js';
import { loadExtensions } from '@tollgate/challenge-service/extensions.js';
import { createChallengeMetrics } from '@tollgate/challenge-service/plugins/challenge-metrics.js';
import { openImagePool } from '@tollgate/challenge-service/renderer/image-pool.js';
import { buildApp as buildSessionApp } from '@tollgate/session-service/app.js';
import { readSessionConfig } from '@tollgate/session-service/config.js';
import { withAccounts } from '@tollgate/session-service/directory/directory.js';
import { withDirectoryCheck } from '@tollgate/session-service/directory/directory-check.js';
import { openEmbeddedDirectory } from '@tollgate/session-service/directory/embedded-directory.js';
import { openDirectory } from '@tollgate/session-service/directory/open-directory.js';
import { runningKeys } from '@tollgate/session-service/domain/key-roll-out.js';
import { createHashingQueue, createSignIn } from '@tollgate/session-service/passwords/sign-in.js';
import { createSessionMetrics } from '@tollgate/session-service/plugins/session-metrics.js';
import { openStoreDependencies } from '@tollgate/session-service/store-dependencies.js';
import { openAccountEvents } from '@tollgate/session-service/stores/account-events.js';
import { openSessionStore } from '@tollgate/session-service/stores/open-session-store.js';
import {
  deviceVoidKey,
  endNotesKey,
  failuresKey,
  KNOWN_USERS_KEY,
  loginsKey,
  READY_KEY,
  signInCodeKey,
} from '@tollgate/session-service/stores/session-keys.js';
import { openSignInCodes } from '@tollgate/session-service/stores/sign-in-codes.js';
import { watchStores } from '@tollgate/session-service/stores/watch-stores.js';
import {
  challengeKeys,
  configFingerprintKey,
  createChallengeVerifier,
  makePass,
  passHash,
  readyKey,
  slotTag,
} from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { createLogger } from '@tollgate/shared/http';
import { openRevocationLog, REVOCATION_LOG_KEY, userSessionsKey } from '@tollgate/shared/sessions';
import {
  KEY_RECORD_KEY,
  loadKeys,
  openChallengeStore,
  openKeyRecord,
  openLoadRecord,
  openRequestCounter,
  openStore,
  recordMachine,
  type Store,
  watchConfigFingerprint,
} from '@tollgate/shared/store';
import { silentTrail } from '@tollgate/test-support/audit.js';
import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { redisStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { listFiles } from '@tollgate/tools/docs/source-files.js';
import t, { type Test } from 'tap';
import { literalsIn, tablesHeaded } from './markdown.js';
import { readProjectFile } from './project-file.js';

const page = readProjectFile('docs/store-keys.md');
const rows = tablesHeaded(page, 'Key').flatMap(({ rows }) => rows);
const patterns = rows.map(([cell = '']) => literalsIn(cell)[0] ?? '');

const parts: Readonly<Record<string, string>> = {
  tag: '[0-9A-Za-z]{2}',
  token: '[0-9A-Za-z]{38}',
  address: '[0-9a-f]{32}',
  account: '[0-9a-f]{32}',
  uid: '[0-9]+',
  bucket: '[0-9]{1,4}',
  code: '[0-9a-f]{64}',
  pass: '[a-z0-9-]{1,32}',
  claim: '[0-9a-f]{32}',
  site: '[A-Za-z0-9_-]{1,64}',
};

const expressions = patterns.map((pattern) => {
  const literal = pattern.replace(/[{}]/g, '\\$&');
  return new RegExp(`^${literal.replace(/<(\w+)>/g, (_place, name: string) => parts[name] ?? '(?!)')}$`);
});

/** The patterns that a key has. */
const patternsOf = (key: string) => patterns.filter((_pattern, at) => expressions[at]?.test(key));

const secrets = {
  ACCESS_SECRET: '0123456789abcdefghijklmnopqrstua',
  REFRESH_SECRET: '0123456789abcdefghijklmnopqrstur',
  ENCRYPTION_KEY: '0123456789abcdefghijklmnopqrstue',
  CHALLENGE_SECRET: '0123456789abcdefghijklmnopqrstuc',
};
const SITE_SECRET = makeSecret();
const SITES = JSON.stringify({
  shop: { secret_sha256: SITE_SECRET.sha256, hostnames: ['shop.example'], image: 'always' },
});
const environment = {
  ...secrets,
  PUBLIC_URL: 'http://localhost',
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: '1',
  CAPTCHA_MIN_SECONDS: '0',
  CAPTCHA_NO_SCRIPT: 'image',
  GATE: '{"sites":["http://localhost"]}',
  SITES,
  TRUST_PROXY: 'loopback',
};
const ring = openKeyRing(secrets.CHALLENGE_SECRET);
const tokenKeys = {
  accessSecrets: openKeyRing(secrets.ACCESS_SECRET),
  refreshSecrets: openKeyRing(secrets.REFRESH_SECRET),
  encryptionKeys: openKeyRing(secrets.ENCRYPTION_KEY),
};
const logger = createLogger({ name: 'test', level: 'silent' });
const client = '192.0.2.1';

/** Both services over one store, and all their operations. */
async function openServices(t: Test, store: Store) {
  const extensions = await loadExtensions(environment);
  const challengeConfig = readChallengeConfig(environment, extensions);
  const sessionConfig = readSessionConfig(environment);
  const { prefix } = challengeConfig.captcha.cache;
  const images = await openImagePool({ threads: 1, maxQueue: 1 });
  const directory = withAccounts(await openDirectory(`file:${tempDir(t)}/users.db`, '/'), () => {});
  const queue = createHashingQueue({ running: 1, waiting: 1 });
  const inStores = openStoreDependencies(sessionConfig, { sessions: store, challenges: store }, logger);
  const { challenges, deviceVoids, revocations, revoker, sessions } = inStores;
  const challengeApp = await buildChallengeApp(challengeConfig, {
    challenges,
    countRequest: openRequestCounter(store, prefix),
    ring,
    images,
    onOtherDriver: () => {},
    redis: { challenges: store },
    extensions: {
      list: extensions.flatMap((extension) => extension.open(challengeConfig, '/') ?? []),
      openChallenges: (name) => openChallengeStore(store, prefix, name),
    },
    metrics: createChallengeMetrics({ process: false }),
    trail: silentTrail(),
    logger,
  });
  const sessionApp = await buildSessionApp(sessionConfig, {
    ...inStores,
    metrics: createSessionMetrics({ revocations, revoker, hashing: queue }, { process: false }),
    trail: silentTrail(),
    directory,
    signIn: createSignIn(directory, queue, () => {}),
    ring,
    tokenKeys,
    logger,
  });
  t.teardown(async () => {
    await challengeApp.close();
    await sessionApp.close();
    await images?.close();
    revoker.stop();
    await revocations.stop();
    await directory.close();
  });
  const host = createChallengeVerifier({
    store: challenges,
    ring,
    options: sessionConfig.captcha,
    application: 'test',
    clock: Date.now,
  });
  const { captcha, rules } = sessionConfig;
  return { challengeApp, sessionApp, challenges, sessions, deviceVoids, revoker, host, captcha, rules };
}

t.test('every part of a key is explained', async (t) => {
  const explained = tablesHeaded(page, 'Part').flatMap(({ rows }) => rows.map(([cell = '']) => cell));
  t.same(
    explained.sort(),
    Object.keys(parts)
      .map((name) => `\`<${name}>\``)
      .sort(),
  );
});

t.test('all operations together create exactly the keys of the table, and each expires', async (t) => {
  const { store, redis } = await redisStore(t);
  const services = await openServices(t, store);
  const { challengeApp, sessionApp, sessions, deviceVoids, revoker, host, captcha, rules } = services;
  const accountEvents = openAccountEvents(store, 60_000);
  const session = { uid: 7, sid: 'a'.repeat(22) };
  const seen = new Set<string>();
  const done = async (operation: string) => {
    for (const key of await redis.client.keys('*')) {
      seen.add(key);
      t.equal(patternsOf(key).length, 1, `${operation}: ${key} is in the table once`);
      t.ok((await redis.client.pttl(key)) > 0, `${operation}: ${key} expires`);
    }
  };

  const users = openEmbeddedDirectory(join(tempDir(t), 'known'));
  t.teardown(() => users.close());
  await users.add('ada@example.com', 'hash');
  const checked = withDirectoryCheck(users, { store, ring, keepMs: 60_000, refreshMs: 60_000, log: logger });
  await checked.findById(0);
  await checked.findById(1);
  await checked.stop();
  await done('remember a user');
  const optionsWatch = watchConfigFingerprint(store, captcha, logger);
  t.teardown(() => optionsWatch.stop());
  await optionsWatch.checkNow();
  await done('mark the options');
  await openKeyRecord(store).report('node', runningKeys({ ...tokenKeys, challengeSecrets: ring }), true);
  await done('report the keys of a node');
  const load = openLoadRecord(store, captcha.cache.prefix);
  await load.report('process', { issued: 1, refused: 0, queues: {} });
  await load.raise(1, 60_000);
  await done('report the load, raise the price by hand');

  const watch = watchStores({ sessions: store, challenges: store }, readyKey(captcha.cache.prefix), logger);
  t.teardown(() => watch.stop());
  for (const check of Object.values(watch.checks)) t.equal(await check(), 'ok');
  await done('check the stores');

  const work = (await challengeApp.inject('/api/captcha/pow')).json();
  await done('issue a proof of work');
  t.equal((await challengeApp.inject('/api/captcha?preset=effort')).json().parts, 16);
  await done('issue an effort challenge');
  const image = (await challengeApp.inject('/api/captcha')).json();
  await done('issue an image');
  t.equal((await challengeApp.inject(new URL(image.url).pathname)).statusCode, 200);
  await done('draw');
  const chosen = `/api/captcha/no-script/${'c'.repeat(40)}.png`;
  t.equal((await challengeApp.inject(chosen)).statusCode, 200);
  await done('issue an image for a page without JavaScript');
  const ofSite = (await challengeApp.inject('/api/captcha/sites/shop/pow')).json();
  const imageOfSite = (await challengeApp.inject('/api/captcha/sites/shop')).json();
  t.equal((await challengeApp.inject('/api/captcha/sites/shop?preset=effort')).json().parts, 16);
  await done('issue challenges of a site');
  const redeemed = await challengeApp.inject({
    method: 'POST',
    url: '/api/captcha/sites/shop/redeem',
    headers: { origin: 'https://shop.example' },
    payload: {
      pow_token: ofSite.token,
      pow_nonce: findNonce(ofSite.salt, ofSite.difficulty),
      captcha_token: imageOfSite.token,
      captcha: imageOfSite.answer,
    },
  });
  await done('redeem them');
  const receipt = { secret: SITE_SECRET.secret, response: redeemed.json().token };
  const url = '/api/captcha/siteverify';
  t.match((await challengeApp.inject({ method: 'POST', url, payload: receipt })).json(), { success: true });
  await done('verify the receipt');
  const passed = { method: 'POST', url: '/api/captcha/gate/pass', payload: {} } as const;
  t.equal((await challengeApp.inject(passed)).statusCode, 422);
  await done('count a submission to the gate');
  const payload = {
    email: 'nobody@example.com',
    password: 'a wrong password',
    pow_token: work.token,
    pow_nonce: findNonce(work.salt, work.difficulty),
    captcha_token: image.token,
    captcha: image.answer,
  };
  const refused = await sessionApp.inject({ method: 'POST', url: '/login', payload });
  t.equal(refused.json().code, 'login_failed');
  await done('spend both challenges, count an attempt and a login, record its failure');
  const event = { event: 'login', account: '0'.repeat(32), uid: 7, sid: session.sid } as const;
  await accountEvents.note(event);
  t.match(await accountEvents.read(event.account), [event]);
  await done('record a login');

  const passes = openChallengeStore(store, 'captcha');
  const pass = makePass('uptime');
  const about = { name: 'uptime', application: 'test', hash: passHash(pass) };
  await passes.makePass({ ...about, perMinute: 9, lifetimeMs: 60_000 });
  await host.verify({}, { ip: client, pow: true, image: 'offered', pass });
  await done('use a pass');
  t.match(await passes.listPasses(), [about]);
  await passes.revokePass('uptime');
  await done('revoke it');

  const { withdraw } = await host.countAttempt('key', client);
  await done('count an attempt');
  await withdraw();
  await done('withdraw it');
  await host.recordFailure('key');
  await host.attemptStatus('key', client);
  await done('record a failure');
  await host.clearFailures('key', client);
  await done('clear the failures');

  const codes = openSignInCodes(store);
  const code = await codes.create({ uid: 7, origin: 'http://localhost', attributes: {} });
  await done('create a sign-in code');
  t.match(await codes.take(code, 'http://localhost'), { uid: 7 });
  await done('take it');
  await sessions.start({ ...session, userAgent: 'test' }, rules);
  await done('start a session');
  await sessions.rotate({ ...session, generation: 1 }, rules);
  await done('rotate');
  await sessions.proveUsed({ ...session, generation: 2 });
  await sessions.list(session.uid);
  await sessions.endListed(session.uid, ['b'.repeat(22)], { reason: 'others_revoked' });
  await done('end others');
  await deviceVoids.void(session.uid, session.sid);
  t.equal((await deviceVoids.read(session.uid))?.exceptSid, session.sid);
  await done('void the cookies of devices');
  await revoker.revoke([session.sid]);
  await done('publish the end of a session');
  await sessions.end(session, { reason: 'logout' });
  await done('end a session');
  await openSessionStore(store).find(session.sid);
  await store.prune();
  await done('look up the reason');

  const met = patterns.filter((_pattern, at) => [...seen].some((key) => expressions[at]?.test(key)));
  t.same(met, patterns, 'every row has been seen');
});

t.test('every function that builds a key has a row', async (t) => {
  const address = '0123456789abcdef'.repeat(2);
  const account = address;
  const token = 'Aa'.repeat(20);
  const keys = challengeKeys('captcha', slotTag);
  const ofSite = challengeKeys('captcha', slotTag, 'shop');
  const built: Record<keyof typeof keys, string[]> = {
    pow: [keys.pow(token)],
    image: [keys.image(token)],
    receipt: [ofSite.receipt(token)],
    volume: [keys.volume(address)],
    limit: [keys.limit('pow', address), keys.limit('image', address)],
    failures: [keys.failures(account)],
    wait: [keys.wait(account, address)],
    cleared: [keys.cleared(address)],
    price: [keys.price(address)],
    passes: [keys.passes],
    passUses: [keys.passUses('uptime')],
    passClaim: [keys.passClaim('uptime', '0'.repeat(32))],
  };
  t.same(Object.keys(built).sort(), Object.keys(keys).sort());
  const others = [
    configFingerprintKey('captcha'),
    readyKey('captcha'),
    ...Object.values(loadKeys('captcha')),
    READY_KEY,
    userSessionsKey(1),
    endNotesKey(1),
    deviceVoidKey(1),
    loginsKey(account),
    failuresKey(account),
    signInCodeKey('0'.repeat(64)),
    REVOCATION_LOG_KEY,
    KEY_RECORD_KEY,
    KNOWN_USERS_KEY,
    ...[ofSite.pow(token), ofSite.image(token), ofSite.volume(address)],
    ...[ofSite.limit('pow', address), ofSite.limit('image', address)],
  ];
  for (const key of [...Object.values(built).flat(), ...others]) {
    t.equal(patternsOf(key).length, 1, key);
  }
});

t.test('the table lists exactly the existing scripts', async (t) => {
  const scripts = ['shared/lua', 'services/session-service/lua']
    .flatMap((folder) => listFiles(folder, /\.lua$/))
    .map((path) => path.replace(/^.*\/|\.lua$/g, ''));
  const named = rows.flatMap(([, , , writers = '', readers = '']) => literalsIn(writers + readers));
  const commands = ['GET', 'SET', 'DEL', 'XREAD', 'HGETALL', 'HDEL', 'LRANGE'];
  t.same(new Set(named.filter((name) => !commands.includes(name))), new Set(scripts));
});

t.test('the lifetimes are those of the table', async (t) => {
  const { store, redis } = await redisStore(t);
  const { challengeApp, host } = await openServices(t, store);
  const startMs = performance.now();
  await challengeApp.inject('/api/captcha/pow');
  await host.countAttempt('key', client);
  const lifetimes = { vol: 900, fail: 900, wait: 86_400, limit: 60, pow: 120 };
  for (const [part, seconds] of Object.entries(lifetimes)) {
    const [key = ''] = await redis.client.keys(`captcha:${part}:*`);
    const leftMs = await redis.client.pttl(key);
    const spentMs = performance.now() - startMs;
    t.ok(
      leftMs <= seconds * 1000 && leftMs >= seconds * 1000 - spentMs - 1,
      `${part}: ${leftMs} ms are left`,
    );
  }
});

t.test('the embedded store keeps the log of ended sessions, and its machines, as documented', async (t) => {
  const store = openStore(`file:${tempDir(t)}/store.db`, '/');
  t.teardown(() => store.close());
  if (store.kind !== 'embedded') throw new TypeError('a file is an embedded store');
  await openRevocationLog(store).append({ sids: ['a', 'b'], keepMs: 60_000 });
  const number = (await store.read(REVOCATION_LOG_KEY)) ?? '';
  t.match(number, /^\d+$/);
  t.equal(await store.read(`${REVOCATION_LOG_KEY}:${number}`), '0 60000 a b');
  await recordMachine(store, 'boot-id');
  const key = 'machine:boot-id';
  t.match(await store.read(key), /^\S+ \d+$/);
  const lifetimeMs = await store.transact(({ expiryOf, nowMs }) => (expiryOf(key) ?? 0) - nowMs);
  t.ok(lifetimeMs > 0 && lifetimeMs <= 45_000);
  const [table] = tablesHeaded(page, 'Key in the file');
  t.same(
    table?.rows.map(([key = '']) => literalsIn(key)[0]),
    ['session:revoked', 'session:revoked:<number>', 'session:keys', 'machine:<boot id>'],
  );
});
