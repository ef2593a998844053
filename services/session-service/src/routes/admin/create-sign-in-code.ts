// POST /users/:id/sign-in-codes on the admin port: a code that logs a user in, for applications with their own login.

import { refuse, ValidationFailed } from '@tollgate/shared/http';
import { SignInCodeBody, SignInCodeRequest } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { authenticationAttributes } from '../../domain/session-record.js';
import { CODE_SECONDS } from '../../domain/sign-in-code.js';
import { UserDisabled } from '../../errors.js';
import { signInCodesOf } from '../../plugins/dependencies.js';
import { findPathUser, UserParams } from './path-user.js';

/** How far the clock of the application may be ahead, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 60;

type CodeRoute = { Params: UserParams; Body: SignInCodeRequest };

/**
 * Must be registered in a scope that requires the API key.
 * @param options.origins origins whose pages may exchange a code
 */
export default async function createSignInCode(
  app: FastifyInstance,
  { origins }: { origins: readonly string[] },
): Promise<void> {
  app.post<CodeRoute>(
    '/users/:id/sign-in-codes',
    {
      schema: {
        operationId: 'createSignInCode',
        summary:
          'Create a single-use code that logs this user in, within 60 seconds, on a page of this origin',
        security: [{ apiKey: [] }],
        params: UserParams,
        body: SignInCodeRequest,
        response: { 200: SignInCodeBody },
      },
    },
    async (request): Promise<SignInCodeBody> => {
      const { origin, auth_time } = request.body;
      if (!origins.includes(origin)) throw refuse(ValidationFailed, { fields: { origin: ['wrong_origin'] } });
      if (auth_time !== undefined && auth_time > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS)
        throw refuse(ValidationFailed, { fields: { auth_time: ['out_of_range'] } });
      const { id: uid, disabled } = await findPathUser(app, request);
      if (disabled) throw refuse(UserDisabled);
      const attributes = authenticationAttributes(request.body);
      const code = await signInCodesOf(request).create({ uid, origin, attributes });
      app.audit.write(request, 'sign_in_code_created', { uid });
      app.metrics.countSignInCode('created');
      return { code, expires_in: CODE_SECONDS };
    },
  );
}
