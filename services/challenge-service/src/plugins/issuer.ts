// Gives the routes what issues and draws challenges.

import type { ChallengeStore } from '@tollgate/shared/challenges/store/challenge-store.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { randomBytes } from '@tollgate/shared/crypto/random.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type Presets, resolvePresets } from '../domain/presets.js';
import type { ImagePool } from '../image/pool.js';
import type { ChallengeMetrics } from './challenge-metrics.js';

/** Opened and closed by server.ts. */
export interface IssuerOptions {
  readonly challenges: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  /** Strong random bytes, for tokens and salts; the operating system's when left out. */
  readonly random?: (size: number) => Uint8Array;
  /** Draws; null when no image library loads. */
  readonly images: ImagePool | null;
  /** By name; the one that ships when left out. */
  readonly presets?: Presets;
  /** Told of an image that only another library, or another version of it, can draw. */
  readonly onOtherDriver: (driver: string) => void;
  /** Told of an image whose preset this node does not have, or not as it was when the image was issued. */
  readonly onOtherPreset?: (name: string) => void;
  /** Counts what is issued. */
  readonly figures: ChallengeMetrics;
}

declare module 'fastify' {
  interface FastifyInstance extends Required<IssuerOptions> {}
}

async function issuer(
  app: FastifyInstance,
  deps: IssuerOptions & { readonly options: CaptchaOptions },
): Promise<void> {
  const { challenges, ring, random = randomBytes, images, options, onOtherDriver } = deps;
  app.decorate('challenges', challenges);
  app.decorate('ring', ring);
  app.decorate('random', random);
  app.decorate('images', images);
  app.decorate('presets', deps.presets ?? resolvePresets({ options }).presets);
  app.decorate('figures', deps.figures);
  app.decorate('onOtherDriver', onOtherDriver);
  app.decorate('onOtherPreset', deps.onOtherPreset ?? (() => {}));
}

/** Decorates the server with its dependencies. */
export default fp(issuer, { name: 'tollgate-issuer', fastify: '5.x' });
