// A custom challenge type that fails while the host API verifies an answer.

import { encodeVerifiedTail, type VerifiedType } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { openChallengeStore } from '@tollgate/shared/store';
import { eachKind } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openHostApi } from './host-api-server.js';

const CHALLENGE_SECRET = 'challenge-secret-of-the-tests-0003';
const REST = 'the-right-answer-is-k7mxqp';

const own: VerifiedType = {
  name: 'own',
  maxAnswerCharacters: 20,
  hasMinimumTime: false,
  issue: () => ({ rest: REST }),
  verify: (rest) => JSON.parse(rest),
};

t.test(
  'answer leak: a challenge type that throws is a 500 without its message, in the response and in the log',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const { verify, work, log } = await openHostApi(t, store, { CHALLENGE_SECRET }, [own]);
      const token = 'K'.repeat(40);
      await openChallengeStore(store, 'captcha').issueImage({
        token,
        address: 'a'.repeat(32),
        limit: { max: 10, windowMs: 60_000 },
        recordTail: encodeVerifiedTail({
          verifiedBy: 'verify',
          type: own.name,
          keyId: openKeyRing(CHALLENGE_SECRET).current.id,
          address: null,
          rest: REST,
        }),
        expireSeconds: 120,
      });
      const { status, json } = await verify({ ...(await work()), captcha_token: token, captcha: 'x' });
      t.strictSame(
        { status, json },
        { status: 500, json: { message: json.message, code: 'internal_error' } },
      );
      t.notMatch(json.message, 'k7mxqp');
      t.match(log(), 'verify of the kind own threw SyntaxError');
      t.notMatch(log(), 'k7mxqp');
    });
  },
);
