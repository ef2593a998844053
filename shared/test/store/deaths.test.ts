// A process that dies in any way neither loses what was written nor stops the others: `npm run bench -- deaths` does it
// 4,000 times.

import t from 'tap';
import { DEATHS, dieOften } from '../../src/test/deaths.js';
import { tempDir } from '../../src/test/temp-dir.js';

const COUNT = 8;

for (const way of DEATHS) {
  t.test(`a process that ended by ${way} while it wrote stopped all others`, async (t) => {
    const { stuck, otherDeaths, lost, commits } = await dieOften(tempDir(t), way, COUNT);
    t.strictSame({ stuck, otherDeaths, lost }, { stuck: 0, otherDeaths: 0, lost: 0 });
    t.ok(commits > COUNT, `${commits} commits`);
  });
}
