// Cluster slots in use move to another master.
import { defineDrill } from '../../drill.js';
import { onCluster } from '../../servers/cluster.js';

export default defineDrill({
  name: 'cluster-resharded',
  title: '1,500 cluster slots move to another master.',
  open: onCluster,
  fault: ({ stage }) => stage.reshard(1_500),
  lastFailureMs: 1_500,
});
