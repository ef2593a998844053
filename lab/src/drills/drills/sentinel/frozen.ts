// The master behind Sentinels freezes, is replaced, and continues.
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
  // A Sentinel may take ten seconds to demote the thawed master.
  observeMs: 12_000,
});
