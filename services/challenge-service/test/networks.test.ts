// Network limits: one customer filled the store with challenges from 700 addresses.

import { eachKind } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openNode } from './challenge-node.js';

const LIMITS = {
  RATE_LIMIT_POW: '2',
  RATE_LIMIT_ISSUE: '2',
  RATE_LIMIT_FACTOR_56: '2',
  RATE_LIMIT_FACTOR_48: '3',
};

t.test('challenges are also limited per /56 and per /48, with effort counted as images', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openNode(t, store, { env: LIMITS });
    for (const [at, path] of ['/pow', '', '?preset=effort'].entries()) {
      const customer = `2001:db8:${at}`;
      const statuses = async (ips: string[]) => {
        const answers = [];
        for (const remoteAddress of ips) {
          const answer = await node.inject({ url: `/api/captcha${path}`, remoteAddress });
          answers.push(answer.statusCode);
          if (answer.statusCode === 429) t.match(answer.headers, { 'retry-after': /^\d+$/ });
        }
        return answers;
      };
      const [first, second, third] = [`${customer}:1201::7`, `${customer}:1202::7`, `${customer}:1203::7`];
      t.strictSame(await statuses([first, first, first]), [200, 200, 429], `${path}: twice per /64`);
      t.strictSame(await statuses([second, second, third]), [200, 200, 429], `${path}: four times per /56`);
      const elsewhere = [`${customer}:3400::7`, `${customer}:3400::7`, `${customer}:5600::7`];
      t.strictSame(await statuses(elsewhere), [200, 200, 429], `${path}: six times per /48`);
    }
  });
});
