// The clock of Redis is set back, and later corrected.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { defineDrill } from '../../drill.js';
import type { Lab } from '../../servers/lab.js';
import { type OnRedis, onRedis } from '../../servers/redis.js';
import { findProgram } from '../../servers/server-process.js';

interface OnMovedRedis extends OnRedis {
  /** Offsets the server's clock against the machine's. */
  moveClock(seconds: number): void;
}

export default defineDrill({
  name: 'redis-set-back',
  title: 'The clock of Redis is an hour behind for 4 s.',
  open: onMovedRedis,
  fault: async ({ stage }) => stage.moveClock(-3_600),
  holdMs: 4_000,
  recovery: async ({ stage }) => stage.moveClock(0),
  lastFailureMs: 1_500,
  // A failure recorded at a time an hour ago is forgotten when the clock is corrected.
  keepsCounts: false,
  inherent: {
    mistakes: ['issued work lost', 'attempt lost'],
    why: 'Work that is issued while the clock is behind has expired when it is right again, and a failure that is counted then is an hour old and forgotten: people fetch new work, and nobody is logged out.',
    setting: 'clocks that are slewed, not set',
  },
});

async function onMovedRedis(lab: Lab): Promise<OnMovedRedis> {
  const [file, library] = [join(lab.folder, 'clock'), join(lab.folder, 'moved-clock.so')];
  const source = join(projectRoot, 'lab', 'src', 'drills', 'servers', 'moved-clock.c');
  execFileSync(findProgram(lab, ['cc', 'gcc']), ['-shared', '-fPIC', '-o', library, source]);
  const clock = openSync(file, 'w+');
  lab.onClose(() => closeSync(clock));
  const moveClock = (seconds: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(seconds));
    // In place: the server has the file mapped.
    writeSync(clock, bytes, 0, bytes.length, 0);
  };
  moveClock(0);
  const open = onRedis({ environment: { LD_PRELOAD: library, MOVED_CLOCK: file } });
  return { ...(await open(lab)), moveClock };
}
