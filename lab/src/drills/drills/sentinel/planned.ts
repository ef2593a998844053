// A planned failover: the master is healthy, and a replica takes over.
import { defineDrill } from '../../drill.js';
import { onSentinel } from '../../servers/sentinel.js';

export default defineDrill({
  name: 'sentinel-planned',
  title: 'Planned `SENTINEL FAILOVER`: the old master accepts writes until demoted.',
  open: onSentinel(),
  fault: ({ stage }) => stage.failOver(),
  lastFailureMs: 3_000,
  observeMs: 12_000,
});
