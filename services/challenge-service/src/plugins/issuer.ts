// Decorates the server with the issuing and drawing of challenges, and reads the scope tickets of requests.

import { type ChallengeStore, openTicket, presetMark } from '@tollgate/shared/challenges';
import { type KeyRing, randomBytes } from '@tollgate/shared/crypto';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { PricedScope } from '../domain/issuing.js';
import { type NamedPreset, type Presets, resolvePresets } from '../presets/presets.js';
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

/** Reads scope tickets. An invalid ticket is ignored; it is no error. */
interface ScopeTickets {
  /**
   * Returns the content of a `scope` parameter: the account with its failures, and the demand of the form; null if the
   * ticket is invalid.
   */
  pricedScope(ticket: unknown): Promise<PricedScope | null>;
  /**
   * Returns the preset that the form of a ticket demands: the form would reject an image of another. Does not read the
   * store.
   */
  demandedPreset(ticket: unknown): NamedPreset | undefined;
}

/** Issues and draws challenges. */
interface Issuer extends Required<Omit<IssuerOptions, 'metrics'>>, ScopeTickets {}

declare module 'fastify' {
  interface FastifyInstance {
    issuer: Issuer;
    metrics: ChallengeMetrics;
  }
}

function openTickets(
  { ring, challenges, presets }: Pick<Issuer, 'ring' | 'challenges' | 'presets'>,
  options: CaptchaOptions,
): ScopeTickets {
  const decayMs = options.escalation.decay * 1000;
  const open = (ticket: unknown) => (options.pow.escalate ? openTicket(ring, ticket, Date.now()) : null);
  const presetOfMark = new Map([...presets.values()].map((known) => [presetMark(known.name), known]));
  return {
    demandedPreset: (ticket) =>
      ticket === undefined ? undefined : presetOfMark.get(open(ticket)?.demand?.preset ?? 0),
    async pricedScope(ticket) {
      const found = open(ticket);
      if (found === null) return null;
      const { scope, demand } = found;
      if (scope === null) return { scope, failures: 0, demand };
      const { failures } = await challenges.attemptStatus(scope.account, undefined, decayMs);
      return { scope, failures, demand };
    },
  };
}

async function issuer(
  app: FastifyInstance,
  { options, metrics, ...deps }: IssuerOptions & { readonly options: CaptchaOptions },
): Promise<void> {
  const { challenges, ring, images, onOtherDriver } = deps;
  const presets = deps.presets ?? resolvePresets({ options }).presets;
  app.decorate('issuer', {
    challenges,
    ring,
    random: deps.random ?? randomBytes,
    raisedBits: deps.raisedBits ?? (() => 0),
    images,
    presets,
    onOtherDriver,
    onOtherPreset: deps.onOtherPreset ?? (() => {}),
    ...openTickets({ ring, challenges, presets }, options),
  });
  app.decorate('metrics', metrics);
}

/** Decorates the server with `issuer` and `metrics`. */
export default fp(issuer, { name: 'tollgate-issuer', fastify: '5.x' });
