// Takes one challenge many times concurrently, each time with a new claim, and prints the number of successes:
// `take.js STORE_URL ENDPOINT TOKEN TIMES`.

import { once } from 'node:events';
import { raiseCommandTimeout } from '@tollgate/test-support/command-timeout.js';
import { openChallengeStore } from '../../../../src/challenges/store/open-challenge-store.js';
import { openStore } from '../../../../src/store/open-store.js';

const [, , url = '', kind = '', token = '', times = '0'] = process.argv;
const store = openStore(url, '.');
raiseCommandTimeout(store);
if (store.kind === 'redis') await once(store.client, 'ready');
const challenges = openChallengeStore(store, 'captcha');
const taken = await Promise.all(
  Array.from({ length: Number(times) }, (_, i) =>
    challenges.take(kind as 'pow' | 'image', token, `${process.pid}-${i}`),
  ),
);
process.stdout.write(`${taken.filter((each) => each !== null).length}\n`);
await store.close();
