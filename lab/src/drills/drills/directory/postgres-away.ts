// The database of users is stopped and starts again.
import { defineDrill } from '../../drill.js';
import { onPostgres } from '../../servers/postgres.js';

export default defineDrill({
  name: 'postgres-away',
  title: 'PostgreSQL, the directory of users, is stopped and starts again 4 s later.',
  open: onPostgres,
  fault: ({ stage }) => stage.postgres.stop(),
  holdMs: 4_000,
  recovery: ({ stage }) => stage.postgres.start(),
  lastFailureMs: 1_500,
});
