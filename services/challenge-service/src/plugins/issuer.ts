// Gives the routes what issues and draws challenges.

import type { ChallengeStore } from '@tollgate/shared/challenges/challenge-store.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { ImagePool } from '../image/pool.js';

/** Opened and closed by server.ts. */
export interface IssuerOptions {
  readonly challenges: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  /** Draws; null when no image library loads. */
  readonly images: ImagePool | null;
  /** Told of an image that only another library, or another version of it, can draw. */
  readonly onOtherDriver: (driver: string) => void;
}

declare module 'fastify' {
  interface FastifyInstance extends IssuerOptions {}
}

async function issuer(app: FastifyInstance, options: IssuerOptions): Promise<void> {
  const { challenges, ring, images, onOtherDriver } = options;
  app.decorate('challenges', challenges);
  app.decorate('ring', ring);
  app.decorate('images', images);
  app.decorate('onOtherDriver', onOtherDriver);
}

/** Decorates the server with its parts. */
export default fp(issuer, { name: 'tollgate-issuer', fastify: '5.x' });
