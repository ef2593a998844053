// More log-ins at once than passwords can be hashed: what finds no place costs nobody anything.

import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { IP, openDesk } from '@tollgate/test-support/issuing.js';
import { eachKind } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { createHashingQueue } from '../../src/passwords/hashing-queue.js';
import { PASSWORD, startNode, userDirectory } from '../support/session-node.js';

const EMAIL = 'ann@example.com';

t.test('a log-in beyond the places is refused before its work is spent or a failure counted', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const hashing = createHashingQueue({ running: 1, waiting: 0 });
    const directory = await userDirectory(t, EMAIL);
    const env = {
      CAPTCHA_POW_ENABLED: 'true',
      RATE_LIMIT_LOGIN: '4',
      CAPTCHA_MIN_SECONDS: '0',
    };
    const { app, config } = await startNode(t, { store, directory, hashing, env });
    const logIn = (fields: object) =>
      app.inject({
        method: 'POST',
        url: '/login',
        remoteAddress: IP,
        payload: { email: EMAIL, ...fields },
      });

    const desk = openDesk(store, { keys: openKeyRing(config.values.CHALLENGE_SECRET) });
    const { powToken, powNonce } = await desk.work();
    const work = { password: PASSWORD, pow_token: powToken, pow_nonce: powNonce };
    const leave = hashing.admit();
    for (let n = 0; n < 3; n++) {
      const refused = await logIn(work);
      t.match(refused, { statusCode: 503, headers: { 'retry-after': '1' } });
      t.equal(refused.json().code, 'overloaded');
    }
    t.equal((await logIn({ password: '' })).json().code, 'validation_failed', 'mistakes are named first');
    leave();
    t.match((await logIn(work)).json(), { accessToken: String }, 'the same work');
  });
});
