// A cluster master is killed, and its replica takes over.
import { defineDrill } from '../../drill.js';
import { onCluster } from '../../servers/cluster.js';

export default defineDrill({
  name: 'cluster-killed',
  title: 'A cluster master is killed and restarts after 6 s.',
  open: onCluster,
  fault: ({ stage }) => stage.masters[0].stop(),
  holdMs: 6_000,
  recovery: ({ stage }) => stage.masters[0].start(),
  lastFailureMs: 9_000,
  fromFault: true,
  observeMs: 6_000,
});
