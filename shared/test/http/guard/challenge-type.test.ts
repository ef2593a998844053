// A custom challenge type with an exception in verify: its message may contain the answer.

import { Writable } from 'node:stream';
import { eachKind } from '@tollgate/test-support/stores.js';
import Fastify, { type FastifyInstance } from 'fastify';
import t, { type Test } from 'tap';
import { encodeVerifiedTail } from '../../../src/challenges/store/records.js';
import type { VerifiedType } from '../../../src/challenges/types/challenge-type.js';
import guard from '../../../src/http/guard/challenge-guard.js';
import { captcha } from '../../../src/http/guard/guards.js';
import { createLogger } from '../../../src/http/observability/logger.js';
import { resolveCaptchaOptions } from '../../../src/schemas/captcha-options.js';
import type { Store } from '../../../src/store/open-store.js';
import { challengesOn, imageIssue, ring } from '../../challenges/fixtures.js';

const REST = 'the-right-answer-is-k7mxqp';

/** Submits an answer to a type with this `verify`, to an application with Fastify's own error handler. */
async function submit(t: Test, store: Store, verify: (rest: string) => unknown) {
  const own = { name: 'own', maxAnswerCharacters: 20, hasMinimumTime: false, verify } as VerifiedType;
  let log = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += chunk;
      done();
    },
  });
  const loggerInstance = createLogger({ name: 'application', level: 'trace' }, stream);
  const app = Fastify({ loggerInstance }) as unknown as FastifyInstance;
  t.teardown(() => app.close());
  const challenges = challengesOn(store);
  const options = resolveCaptchaOptions({ min_seconds: 0 });
  await app.register(guard, { store: challenges, ring, options, application: 'tests', kinds: [own] });
  app.post('/form', { config: { guards: [captcha] } }, async () => 'in');
  const recordTail = encodeVerifiedTail({
    verifiedBy: 'verify',
    type: 'own',
    keyId: ring.current.id,
    address: null,
    rest: REST,
  });
  const issue = imageIssue({ recordTail });
  await challenges.issueImage(issue);
  const payload = { captcha_token: issue.token, captcha: 'x' };
  const response = await app.inject({ method: 'POST', url: '/form', payload });
  return { status: response.statusCode, body: response.json(), log };
}

t.test('answer leak: client and log get the class of a verify exception, not its message', async (t) => {
  class Broken extends Error {
    override readonly name = 'Broken';
  }
  const table: [(rest: string) => unknown, string][] = [
    [(rest) => JSON.parse(rest), 'threw SyntaxError'],
    [
      (rest) => {
        throw new Broken(rest, { cause: new Error(rest) });
      },
      'threw Broken',
    ],
    [
      (rest) => {
        throw rest;
      },
      'threw a non-error value',
    ],
    [(rest) => rest, 'must return right, wrong or insufficient'],
    [
      async (rest) => {
        throw new Error(rest);
      },
      'must return right, wrong or insufficient',
    ],
  ];
  await eachKind(t, async (t, { store }) => {
    for (const [verify, words] of table) {
      const { status, body, log } = await submit(t, store, verify);
      const message = `verify of the kind own ${words}`;
      t.strictSame(
        { status, body },
        { status: 500, body: { statusCode: 500, error: 'Internal Server Error', message } },
      );
      t.match(log, message);
      t.notMatch(log, 'k7mxqp');
    }
  });
});
