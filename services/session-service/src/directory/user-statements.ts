// The operator's statements, with the names under which they are prepared.

import type { PreparedStatement } from './postgres-pool.js';

/** The texts of USERS_BY_EMAIL, USERS_BY_ID and USERS_SAVE_HASH. */
export interface StatementTexts {
  readonly byEmail?: string | undefined;
  readonly byId?: string | undefined;
  readonly saveHash?: string | undefined;
}

/** What the postgres directory runs. */
export interface UserStatements {
  /** $1 the account key. */
  readonly byEmail: PreparedStatement;
  /** $1 the id. */
  readonly byId: PreparedStatement;
  /** $1 the id, $2 the old hash, $3 the new one; without it nothing is rehashed. */
  readonly saveHash: PreparedStatement | undefined;
}

/** @throws RangeError when one of the first two is missing */
export function nameStatements({ byEmail, byId, saveHash }: StatementTexts): UserStatements {
  if (byEmail === undefined || byId === undefined) {
    throw new RangeError('with postgres:// needs USERS_BY_EMAIL and USERS_BY_ID');
  }
  return {
    byEmail: { name: 'tollgate_user_by_email', text: byEmail },
    byId: { name: 'tollgate_user_by_id', text: byId },
    saveHash: saveHash === undefined ? undefined : { name: 'tollgate_save_hash', text: saveHash },
  };
}
