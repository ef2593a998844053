// A guest book: every entry costs a proof of work and the answer to a challenge, of whatever kind.
import { captcha, challengeGuard, pow } from '@tollgate/fastify';
import Fastify from 'fastify';
import { kinds } from './challenges.js';

const entry = {
  type: 'object',
  required: ['text'],
  additionalProperties: false,
  properties: { text: { type: 'string', minLength: 1, maxLength: 1000 } },
};

/**
 * @param {object} options
 * @param {Record<string, string | undefined>} options.environment `CHALLENGE_SECRET`, the store and `CAPTCHA_*`, as the
 *   challenge service has them
 * @param {(text: string) => Promise<void>} options.save
 */
export async function buildGuestBook({ environment, save }) {
  const app = Fastify({ logger: true });
  // The kind `odd` judges by itself: without `kinds` here its answers would be refused.
  await app.register(challengeGuard, { application: 'guest-book', environment, kinds });

  app.post(
    '/entries',
    { config: { guards: [captcha, pow()] }, schema: { body: entry } },
    async (request, reply) => {
      await save(request.body.text);
      return reply.code(201).send({ saved: true });
    },
  );
  return app;
}
