// A form that accepts only certain presets and harder work: after a rejection the client fetches challenges that meet
// its requirements.
import { createChallenge } from '@tollgate/client/challenge';
import { captcha, challengeGuard, type Guard, pow } from '@tollgate/fastify';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { startRealService } from './real-service.js';

const folder = tempDir(t);
const service = await startRealService(t, {
  DATA_DIR: folder,
  CAPTCHA_PRESETS: '{ "large": { "picture": { "width": 400, "height": 130 } } }',
  CAPTCHA_POW_ALGORITHMS: 'hashwx-1,sha256',
});
const environment = {
  CHALLENGE_SECRET: service.system.secrets.CHALLENGE_SECRET,
  STORE_URL: `file:${folder}/tollgate.db`,
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: '1',
  CAPTCHA_POW_MAX_DIFFICULTY: '12',
  CAPTCHA_POW_ALGORITHMS: 'hashwx-1,sha256',
  CAPTCHA_MIN_SECONDS: '0',
};

/** Opens an application with this form. @returns a function that submits it */
async function openForm(t: Test, guards: readonly Guard[]) {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(challengeGuard, { application: 'choosy', environment });
  app.post('/form', { config: { guards } }, async () => ({ ok: true }));
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return (fields: Record<string, string>) =>
    fetch(`${address}/form`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
}

t.test(
  'a client replaces insufficient work automatically, and shows an image that the form accepts',
  async (t) => {
    const send = await openForm(t, [captcha({ presets: ['large'] }), pow({ minDifficulty: 6 })]);
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

t.test('after one rejection a client uses the difficulty and algorithm that the form requires', async (t) => {
  const send = await openForm(t, [pow({ atLeast: 11, algorithms: ['hashwx-1'] })]);
  const answers: Record<string, unknown>[] = [];
  const sent = async (fields: Record<string, string>) => {
    const answer = await send(fields);
    answers.push(await answer.clone().json());
    return answer;
  };
  service.requested.length = 0;
  const challenge = createChallenge({ baseUrl: service.address });
  t.teardown(challenge.close);
  t.equal((await challenge.submit(sent)).status, 200);
  t.match(answers, [
    { code: 'pow_insufficient', pow_min_difficulty: 11, pow_algorithms: ['hashwx-1'], pow_scope: String },
    { ok: true },
  ]);
  t.strictSame(service.requested.slice(0, 2), [
    '/pow',
    '/pow?scope=TICKET&min_difficulty=11&algorithms=hashwx-1',
  ]);
});
