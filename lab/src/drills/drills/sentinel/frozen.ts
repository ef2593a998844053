// The master behind Sentinels stops where it is, is replaced, and goes on.
import { defineDrill } from '../../drill.js';
import { onSentinel } from '../../servers/sentinel.js';

export default defineDrill({
  name: 'sentinel-frozen',
  title: 'The master of three Sentinels is frozen for 8 s and replaced.',
  open: onSentinel(),
  fault: async ({ stage }) => stage.master.freeze(),
  holdMs: 8_000,
  recovery: async ({ stage }) => stage.master.thaw(),
  lastFailureMs: 9_000,
  fromFault: true,
  // A Sentinel may take ten seconds to demote the master that has thawed.
  observeMs: 12_000,
});
