// An attack with a dump of the store and the source, but without the secret, cannot compute an answer.

import {
  drawKey,
  normaliseAnswer,
  parseAnswerRecord,
  parseVerifiedRecord,
  scrambleAnswer,
} from '@tollgate/shared/challenges';
import { type KeyRing, openKeyRing } from '@tollgate/shared/crypto';
import { redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { answerText } from '../src/image/derivation.js';
import { defaultPreset } from '../src/presets/preset.js';
import { openNode, SECRET } from './challenge-node.js';

const GUESSED = ['challenge-secret-of-the-tests-0002', SECRET.slice(0, -1), SECRET.toUpperCase()];

t.test('without the secret no answer can be computed from the store contents', async (t) => {
  const { store, redis } = await redisStore(t);
  const env = { CAPTCHA_TEST_MODE: 'true', CAPTCHA_POW_DIFFICULTY: '1' };
  const node = await openNode(t, store, { env });
  for (let n = 0; n < 20; n++) {
    const { token, answer } = (await node.get('/api/captcha')).json();
    const encoded = (await redis.client.get(`captcha:img:{${token.slice(0, 2)}}:${token.slice(2)}`)) ?? '';
    const record = parseAnswerRecord(parseVerifiedRecord(encoded)?.rest ?? '');
    if (record === null) throw new Error('the store holds no record of it');
    const derive = ({ current }: KeyRing) => answerText(drawKey(current), token, record.seed, defaultPreset);
    const scramble = ({ current }: KeyRing) =>
      scrambleAnswer(current, token, normaliseAnswer(answer, record.fold));

    const right = openKeyRing(SECRET);
    t.strictSame(
      [derive(right), scramble(right)],
      [answer, record.answer],
      'the service derives it like this',
    );
    for (const secret of GUESSED) {
      const wrong = openKeyRing(secret);
      t.not(derive(wrong), answer);
      t.not(scramble(wrong), record.answer, 'nor can a guess be compared with what is stored');
    }
    t.notOk(encoded.toLowerCase().includes(answer.toLowerCase()), 'the record does not contain the answer');
  }
});
