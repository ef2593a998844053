// POST /introspect on the admin port: the claims of an access token, for services that cannot decrypt it (RFC 7662).

import { IntrospectionAnswer, IntrospectionForm } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';

/** Must be registered in a scope that parses forms and requires the API key. */
export default async function introspect(app: FastifyInstance): Promise<void> {
  app.post<{ Body: IntrospectionForm }>(
    '/introspect',
    {
      schema: {
        operationId: 'introspect',
        summary: 'Introspect an access token: validity and claims',
        consumes: ['application/x-www-form-urlencoded'],
        security: [{ apiKey: [] }],
        body: IntrospectionForm,
        response: { 200: IntrospectionAnswer },
      },
    },
    async (request): Promise<IntrospectionAnswer> => {
      const verdict = await app.verifyAccess(request.body.token);
      if (!verdict.ok) return { active: false };
      const { id, email, sid, exp, iat, amr, auth_time, claims } = verdict.claims;
      const known = { ...(amr && { amr }), ...(auth_time && { auth_time }), ...(claims && { claims }) };
      return {
        active: true,
        sub: String(id),
        email,
        sid,
        exp,
        iat,
        token_type: 'Bearer',
        ...known,
      };
    },
  );
}
