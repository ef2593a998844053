// A process that dies in any way neither loses acknowledged writes nor stops the others: `npm run bench -- deaths`
// repeats it 4,000 times.

import { DEATHS, dieOften } from '@tollgate/test-support/deaths.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';

const COUNT = 8;

for (const way of DEATHS) {
  t.test(`a process that ends by ${way} while writing stops no other`, async (t) => {
    const { stuck, otherDeaths, lost, commits } = await dieOften(tempDir(t), way, COUNT);
    t.strictSame({ stuck, otherDeaths, lost }, { stuck: 0, otherDeaths: 0, lost: 0 });
    t.ok(commits > COUNT, `${commits} commits`);
  });
}
