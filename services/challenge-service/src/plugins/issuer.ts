// Decorates the server with the dependencies that issue and draw challenges.

import type { ChallengeStore } from '@tollgate/shared/challenges/store/challenge-store.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { randomBytes } from '@tollgate/shared/crypto/random.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type Presets, resolvePresets } from '../presets/presets.js';
import type { ImagePool } from '../renderer/image-pool.js';
import type { ChallengeMetrics } from './challenge-metrics.js';

/** Opened and closed by service.ts. */
export interface IssuerOptions {
  readonly challenges: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  /** Cryptographically strong random bytes, for tokens and salts. Default: the operating system's. */
  readonly random?: (size: number) => Uint8Array;
  /** Returns the bits that are added to the floor of the price now. Default: none. */
  readonly raisedBits?: () => number;
  /** Null if no image library loads. */
  readonly images: ImagePool | null;
  /** Default: the built-in preset alone. */
  readonly presets?: Presets;
  /** Called for an image that only another library, or another version of it, can draw. */
  readonly onOtherDriver: (driver: string) => void;
  /** Called for an image whose preset this node does not have, or has with other options. */
  readonly onOtherPreset?: (name: string) => void;
  readonly metrics: ChallengeMetrics;
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
  app.decorate('raisedBits', deps.raisedBits ?? (() => 0));
  app.decorate('images', images);
  app.decorate('presets', deps.presets ?? resolvePresets({ options }).presets);
  app.decorate('metrics', deps.metrics);
  app.decorate('onOtherDriver', onOtherDriver);
  app.decorate('onOtherPreset', deps.onOtherPreset ?? (() => {}));
}

/** Decorates the server with its dependencies. */
export default fp(issuer, { name: 'tollgate-issuer', fastify: '5.x' });
