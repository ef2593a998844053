// `@tollgate/verify` in Node, Deno, Bun and workerd, with the running services.

import { freePort } from '@tollgate/test-support/free-port.js';
import { serve } from '@tollgate/test-support/serve.js';
import { SECRET, startFront, startGuardedForms } from '@tollgate/tests/examples/guarded-forms.js';
import t from 'tap';
import { installRuntimes, runtimes } from './runtimes.js';
import type { Outcomes, Question } from './scenario.js';

await installRuntimes();
const forms = await startGuardedForms(t);

const siteverifyAt = (address: string) => `${address}/siteverify`;

const accepted = 'accepted';
const missing = 'rejected missing-input-response';
const unavailable = 'unavailable unavailable';
const expected: Outcomes = {
  'a request with a form': accepted,
  'the request is still readable': 'true',
  'a spent receipt': 'rejected timeout-or-duplicate',
  'a request with a multipart form': accepted,
  'a request with JSON': accepted,
  FormData: accepted,
  URLSearchParams: accepted,
  'an object': accepted,
  'a text': accepted,
  nothing: missing,
  'a malformed text': missing,
  'a malformed multipart form': missing,
  'a forged receipt': 'rejected invalid-input-response',
  'a request that was read': unavailable,
  'a service that is away': unavailable,
  'a silent service': unavailable,
  'half a response': unavailable,
  'a redirect': unavailable,
  'a cancelled verification': unavailable,
  'a lost response': accepted,
  work: accepted,
  'a success': 'true',
  'spent work': 'rejected pow_invalid',
};

for (const [name, play] of Object.entries(runtimes)) {
  t.test(`every outcome is the same in ${name}`, async (t) => {
    const front = await startFront(t, forms.siteverify);
    front.loseNext();
    const outcomes = await play(t, {
      siteverify: forms.siteverify,
      secret: SECRET,
      hostApi: forms.hostApi,
      key: forms.hostKey,
      receipts: await Promise.all(Array.from({ length: 8 }, () => forms.receipt())),
      works: [await forms.work()],
      nowhere: `http://127.0.0.1:${await freePort()}/siteverify`,
      silent: siteverifyAt(await serve(t, () => {})),
      stuck: siteverifyAt(
        await serve(t, (_request, response) => {
          response.writeHead(200, { 'content-type': 'application/json' }).write('{"success":true');
        }),
      ),
      moved: siteverifyAt(
        await serve(t, (_request, response) => {
          response.writeHead(307, { location: forms.siteverify }).end();
        }),
      ),
      losing: front.address(forms.siteverify),
    } satisfies Question);
    t.strictSame(outcomes, expected);
    t.equal(front.bodies.length, 2, 'the lost response was asked for again');
  });
}
