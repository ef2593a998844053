// An answer that is too long for its challenge type consumes nothing.

import { ANSWER, IP, openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { slotTag } from '../../src/challenges/attempts/pseudonyms.js';
import { encodeVerifiedTail, makeToken } from '../../src/challenges/store/records.js';
import type { VerifyContext } from '../../src/challenges/submission.js';
import type { VerifiedType } from '../../src/challenges/types/challenge-type.js';
import { address, DECAY_MS } from './fixtures.js';

const IMAGE: VerifyContext = { ip: IP, pow: false, image: 'required' };

const odd: VerifiedType = {
  name: 'odd',
  maxAnswerCharacters: 8,
  hasMinimumTime: false,
  verify: (_rest, answer) => (answer.trim() === '2 5' ? 'right' : 'wrong'),
};

t.test(
  'an overlong answer to a type that verifies its own answers does not consume its challenge',
  async (t) => {
    await eachStore(t, async (t, { store }) => {
      const { challenges, host } = openDesk(store, { kinds: [odd] });
      const token = makeToken(slotTag(address));
      await challenges.issueImage({
        token,
        address,
        limit: { max: 10, windowMs: DECAY_MS },
        recordTail: encodeVerifiedTail({
          verifiedBy: 'verify',
          type: 'odd',
          keyId: ring.current.id,
          address: null,
          rest: '-',
        }),
        expireSeconds: 120,
      });
      for (const imageAnswer of ['2 5      ', 'x'.repeat(400)]) {
        t.match(await host.verify({ imageToken: token, imageAnswer }, IMAGE), {
          ok: false,
          code: 'captcha_invalid',
          fields: { captcha: ['wrong_answer'] },
        });
      }
      t.match(await host.verify({ imageToken: token, imageAnswer: '2 5' }, IMAGE), { ok: true });
      t.match(await host.verify({ imageToken: token, imageAnswer: '2 5' }, IMAGE), { ok: false });
    });
  },
);

t.test('an answer as long as effort does not consume a captcha', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { host, image } = openDesk(store);
    const { imageToken } = await image();
    const long = { imageToken, imageAnswer: ANSWER.padEnd(65) };
    t.match(await host.verify(long, IMAGE), { ok: false, code: 'captcha_invalid' });
    t.match(await host.verify({ imageToken, imageAnswer: ANSWER.padEnd(64) }, IMAGE), { ok: true });
  });
});
