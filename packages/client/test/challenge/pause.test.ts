// Pausing a controller, and submissions in flight, tested against the real services.
import { createChallenge } from '@tollgate/client/challenge';
import t from 'tap';
import { startRealService } from './real-service.js';

const ada = 'ada@example.com';
const service = await startRealService(t, {}, [ada]);

t.beforeEach(() => {
  service.requested.length = 0;
});

t.test('paused, it fetches nothing; resumed, it fetches what is missing', async (t) => {
  const challenge = createChallenge({ baseUrl: service.address });
  t.teardown(challenge.close);
  challenge.pause();
  t.equal(challenge.status, 'idle', 'the current task is aborted');
  service.requested.length = 0;
  challenge.touch();
  challenge.setAnswer('typed');
  await challenge.refresh();
  t.equal(await challenge.settle({ code: 'pow_insufficient', captcha_required: true }), false);
  await challenge.newImage();
  await challenge.chooseAlternative('effort');
  t.equal(challenge.status, 'idle');
  t.same(service.requested, []);
  challenge.resume();
  t.equal(challenge.status, 'solving');
  await challenge.refresh();
  t.equal(challenge.status, 'ready');
  t.same(service.requested, ['', '/pow'], 'for the requirements of the error response');
  challenge.close();
  challenge.resume();
  t.equal(challenge.status, 'idle');
});

t.test('paused, it still fetches challenges for a waiting submission, and nothing afterwards', async (t) => {
  const challenge = createChallenge({ baseUrl: service.address, autoStart: false });
  t.teardown(challenge.close);
  challenge.pause();
  t.equal((await challenge.submit(service.signIn(ada))).status, 200);
  t.equal(challenge.status, 'idle');
  t.same(service.requested, ['/pow']);
});

t.test(
  'a submission is in flight from the first wait to the last response, including its repetition',
  async (t) => {
    const challenge = createChallenge({ baseUrl: service.address });
    t.teardown(challenge.close);
    t.equal(challenge.isSubmitting, false);
    // From another address, so that the service has no price for our address and the account yet.
    await challenge.submit(service.signIn(ada, 'wrong', '198.51.100.7'));
    t.equal(challenge.isSubmitting, false);
    const other = createChallenge({ baseUrl: service.address });
    t.teardown(other.close);
    const seen: boolean[] = [];
    const sent: number[] = [];
    const submission = other.submit(async (fields) => {
      const response = await service.signIn(ada, 'wrong')(fields);
      sent.push(response.status);
      return response;
    });
    const end = other.subscribe(() => seen.push(other.isSubmitting));
    await submission;
    end();
    t.same(sent, [422, 422]);
    t.ok(seen.length > 0 && seen.every((isSubmitting) => isSubmitting));
    t.equal(other.isSubmitting, false);

    await other.refresh();
    t.equal(other.isSubmitting, false);
  },
);

t.test('a submission is in flight from take until settle', async (t) => {
  const challenge = createChallenge({ baseUrl: service.address });
  t.teardown(challenge.close);
  await challenge.take();
  t.equal(challenge.isSubmitting, true);
  await challenge.settle(null);
  t.equal(challenge.isSubmitting, false);
});
