// A form that accepts only certain presets and harder work: after a refusal the client fetches what the form requires.
import { createChallenge } from '@tollgate/client/challenge';
import { captcha, challengeGuard, pow } from '@tollgate/fastify';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import Fastify from 'fastify';
import t from 'tap';
import { startRealService } from './real-service.js';

const folder = tempDir(t);
const service = await startRealService(t, {
  DATA_DIR: folder,
  CAPTCHA_PRESETS: '{ "large": { "picture": { "width": 400, "height": 130 } } }',
});

t.test(
  'a client repeats work that is too easy by itself, and shows an image that the form accepts',
  async (t) => {
    const app = Fastify();
    t.teardown(() => app.close());
    await app.register(challengeGuard, {
      application: 'choosy',
      environment: {
        CHALLENGE_SECRET: service.system.secrets.CHALLENGE_SECRET,
        STORE_URL: `file:${folder}/tollgate.db`,
        CAPTCHA_TEST_MODE: 'true',
        CAPTCHA_POW_DIFFICULTY: '1',
        CAPTCHA_POW_MAX_DIFFICULTY: '12',
        CAPTCHA_MIN_SECONDS: '0',
      },
    });
    const guards = [captcha({ presets: ['large'] }), pow({ minDifficulty: 6 })];
    app.post('/form', { config: { guards } }, async () => ({ ok: true }));
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    const send = (fields: Record<string, string>) =>
      fetch(`${address}/form`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(fields),
      });
    const open = (options: object) =>
      createChallenge({ baseUrl: service.address, image: 'always', ...options });

    const untold = open({});
    t.teardown(untold.close);
    await untold.refresh();
    untold.setAnswer(service.answer());
    t.match(await (await untold.submit(send)).json(), {
      code: 'preset_refused',
      captcha_presets: ['large'],
      pow_min_difficulty: 6,
    });
    await untold.refresh();
    untold.setAnswer(service.answer());
    t.equal((await untold.submit(send)).status, 200);
    untold.close();

    service.requested.length = 0;
    const told = open({ preset: 'large', minDifficulty: 6 });
    t.teardown(told.close);
    await told.refresh();
    told.setAnswer(service.answer());
    t.equal((await told.submit(send)).status, 200);
    t.match(service.requested.slice(0, 2), ['?preset=large', '/pow?min_difficulty=6']);
  },
);
