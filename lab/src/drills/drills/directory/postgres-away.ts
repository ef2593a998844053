// The user database stops and restarts.
import { defineDrill } from '../../drill.js';
import { onPostgres } from '../../servers/postgres.js';

export default defineDrill({
  name: 'postgres-away',
  title: 'PostgreSQL (user directory) restarts after 4 s.',
  open: onPostgres,
  fault: ({ stage }) => stage.postgres.stop(),
  holdMs: 4_000,
  recovery: ({ stage }) => stage.postgres.start(),
  lastFailureMs: 1_500,
});
