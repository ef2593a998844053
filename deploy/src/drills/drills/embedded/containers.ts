// Processes on one file that all have the same process id, as containers have.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineDrill } from '../../drill.js';
import { onFiles } from '../../servers/embedded.js';
import { findProgram } from '../../servers/server-process.js';

export default defineDrill({
  name: 'containers-one-pid',
  title:
    'Four processes share the embedded store, each in a PID namespace where its id is 1; two are killed and start again.',
  open: onFiles({ under: (lab) => [findProgram(lab, ['unshare']), '--pid', '--fork', '--kill-child'] }),
  async fault({ sessions, challenges }) {
    await Promise.all([sessions[0].kill(), challenges[0].kill()]);
    await sleep(2_000);
    await Promise.all([sessions[0].start(), challenges[0].start()]);
  },
  lastFailureMs: 1_500,
});
