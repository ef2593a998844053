// Processes on one file that all have the same process id, as in containers.
import { defineDrill } from '../../drill.js';
import { addUser, onFiles } from '../../servers/embedded.js';
import type { Lab } from '../../servers/lab.js';
import { findProgram } from '../../servers/server-process.js';

const newNamespace = (lab: Lab) => [findProgram(lab, ['unshare']), '--pid', '--fork', '--kill-child'];

export default defineDrill({
  name: 'containers-one-pid',
  title: 'Embedded store, each process with id 1 in its PID namespace: two are killed, an account is added.',
  open: onFiles({ under: newNamespace }),
  async fault({ lab, stage, sessions, challenges }) {
    await Promise.all([sessions[0].kill(), challenges[0].kill()]);
    await addUser(lab, 'added@example.com', stage.environment, newNamespace(lab));
    await Promise.all([sessions[0].start(), challenges[0].start()]);
  },
  lastFailureMs: 1_500,
});
