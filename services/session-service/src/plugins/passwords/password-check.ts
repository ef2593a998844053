// Checks the password of a form, at a log-in and at a step-up, and the form before it.

import { type FieldMessage, refuse, ValidationFailed } from '@tollgate/shared/http/errors/errors.js';
import { fieldsOf } from '@tollgate/shared/http/errors/validation-fields.js';
import { challengeFieldsOf, type GuardedAttempt } from '@tollgate/shared/http/guard/guarded-attempt.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { DirectoryUser } from '../../directory/directory.js';
import type { FailureReason } from '../../domain/account-event.js';
import { longPasswords, refusalOf } from './password-refusals.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Returns the user whose password it is, or undefined. A check that could not run does not count as a failure of the
     * account: the attempt is withdrawn.
     * @param account the email address as it was typed; the attempt counts for its account key
     * @param onFailure called with the reason when there is no user to return
     * @throws Overloaded, StoreUnavailable; StoreUnavailableError
     */
    checkPassword(
      account: string,
      password: string,
      attempt: GuardedAttempt,
      onFailure?: (reason: FailureReason) => void,
    ): Promise<DirectoryUser | undefined>;
    /**
     * A `preHandler` hook of a guarded route with `attachValidation` and fields for passwords. One refusal names the
     * mistakes in the schema's fields and in those of the challenges, before anything is counted or spent.
     * @throws ValidationFailed
     */
    refuseInvalidForm(request: FastifyRequest): Promise<void>;
  }
}

async function passwordCheck(app: FastifyInstance): Promise<void> {
  app.decorate('checkPassword', async (account, password, attempt, onFailure) => {
    try {
      return await app.signIn.check(account, password, onFailure);
    } catch (error) {
      await attempt.withdraw();
      throw refusalOf(error, app.log);
    }
  });
  app.decorate('refuseInvalidForm', async (request) => {
    const invalid = invalidFields(request);
    if (invalid === undefined) return;
    // A body that is not an object has no fields.
    const malformed =
      'body' in invalid
        ? null
        : app.captcha.checkShape(challengeFieldsOf(request), { pow: true, image: 'offered' });
    throw refuse(ValidationFailed, { fields: { ...invalid, ...malformed?.fields } });
  });
}

/** The invalid fields of the schema; undefined if there are none. */
function invalidFields({
  validationError,
  body,
}: FastifyRequest): Readonly<Record<string, FieldMessage[]>> | undefined {
  const tooLong = longPasswords(body);
  if (validationError === undefined) return tooLong;
  return { ...fieldsOf(validationError.validation, 'body'), ...tooLong };
}

/** Decorates the server with `checkPassword` and `refuseInvalidForm`. */
export default fp(passwordCheck, {
  name: 'tollgate-password-check',
  fastify: '5.x',
  dependencies: ['tollgate-session-dependencies', 'tollgate-guard'],
});
