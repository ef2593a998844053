// The user database freezes and continues.
import { defineDrill } from '../../drill.js';
import { onPostgres } from '../../servers/postgres.js';

export default defineDrill({
  name: 'postgres-frozen',
  title: 'PostgreSQL (user directory) is frozen for 6 s.',
  open: onPostgres,
  fault: async ({ stage }) => stage.postgres.freeze(),
  holdMs: 6_000,
  recovery: async ({ stage }) => stage.postgres.thaw(),
  lastFailureMs: 1_500,
});
