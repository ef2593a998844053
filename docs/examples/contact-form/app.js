// A contact form: every message costs a proof of work and the characters of an image.
import { captcha, challengeGuard, pow } from '@tollgate/fastify';
import Fastify from 'fastify';

const text = (maxLength) => ({ type: 'string', minLength: 1, maxLength });

/** The form's own fields; the guards take theirs before this schema could refuse them. */
const message = {
  type: 'object',
  required: ['name', 'email', 'text'],
  additionalProperties: false,
  properties: { name: text(100), email: text(254), text: text(5000) },
};

/**
 * @param {object} options
 * @param {Record<string, string | undefined>} options.environment `CHALLENGE_SECRET`, the store and `CAPTCHA_*`, as the
 *   challenge service has them; `TRUST_PROXY` where a proxy is in front
 * @param {(message: { name: string, email: string, text: string }) => Promise<void>} options.deliver
 */
export async function buildContactForm({ environment, deliver }) {
  const app = Fastify({ logger: true, trustProxy: environment.TRUST_PROXY?.split(',') ?? false });
  // Awaited, so that the guards are in place before the first route is.
  await app.register(challengeGuard, { application: 'contact-form', environment });

  app.post(
    '/contact',
    { config: { guards: [captcha, pow()] }, schema: { body: message } },
    async (request, reply) => {
      await deliver(request.body);
      return reply.code(202).send({ delivered: true });
    },
  );
  return app;
}
