// A cluster master freezes, is replaced, and continues.
import { defineDrill } from '../../drill.js';
import { onCluster } from '../../servers/cluster.js';

export default defineDrill({
  name: 'cluster-frozen',
  title: 'A cluster master is frozen for 8 s and replaced.',
  open: onCluster,
  fault: async ({ stage }) => stage.masters[0].freeze(),
  holdMs: 8_000,
  recovery: async ({ stage }) => stage.masters[0].thaw(),
  lastFailureMs: 9_000,
  fromFault: true,
  observeMs: 6_000,
});
