// The person in the body of an admin route.

import { refuse, ValidationFailed } from '@tollgate/shared/http';
import type { PersonRequest } from '../../person/person-bodies.js';

/** @throws ValidationFailed unless the body has exactly one of `id` and `email` */
export function requireOnePerson({ id, email }: PersonRequest): void {
  if (id === undefined && email === undefined)
    throw refuse(ValidationFailed, { fields: { email: ['required'] } });
  if (id !== undefined && email !== undefined)
    throw refuse(ValidationFailed, { fields: { email: ['unknown_field'] } });
}
