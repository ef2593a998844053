// A planned failover: the master is well, and a replica takes its place.
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
