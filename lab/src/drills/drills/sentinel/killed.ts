// The master behind Sentinels is killed, and a replica takes over.
import { defineDrill } from '../../drill.js';
import { onSentinel } from '../../servers/sentinel.js';

export default defineDrill({
  name: 'sentinel-killed',
  title: 'The master of three Sentinels is killed and restarts after 8 s.',
  open: onSentinel(),
  fault: ({ stage }) => stage.master.stop(),
  holdMs: 8_000,
  recovery: ({ stage }) => stage.master.start(),
  lastFailureMs: 9_000,
  fromFault: true,
  observeMs: 8_000,
});
