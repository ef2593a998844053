// GET {prefix}: issues a challenge of a preset. The image itself is behind the link in the response.

import { Type } from '@sinclair/typebox';
import {
  type ChallengeStore,
  EFFORT,
  normaliseAddress,
  type RequestLimit,
} from '@tollgate/shared/challenges';
import { headOf, refuse } from '@tollgate/shared/http';
import {
  type CaptchaOptions,
  EffortChallenge,
  HashwxEffortChallenge,
  ImageChallenge,
  ImageQuery,
  KindChallenge,
} from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { effortChallenge, effortIssue } from '../domain/effort-challenge.js';
import { imageChallenge, imageIssue, mayHaveImage } from '../domain/image-challenge.js';
import type { IssuerDependencies } from '../domain/issuing.js';
import { UnknownPreset } from '../errors.js';
import { reportLimit } from '../plugins/issue-limit.js';
import { findPreset, type NamedPreset } from '../presets/presets.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The driver in records that a node without an image library issues; no node has a driver of this name. */
const NO_DRIVER = 'none';

/** Any response of the image endpoint. */
type AnyChallenge = ImageChallenge | EffortChallenge | HashwxEffortChallenge | KindChallenge;

/** The schema of the response. */
export const AnyChallenge = Type.Union([
  ImageChallenge,
  HashwxEffortChallenge,
  EffortChallenge,
  KindChallenge,
]);

/** The dependencies of issuing image challenges. */
interface ImageSource {
  readonly deps: IssuerDependencies;
  readonly challenges: ChallengeStore;
  /** Whether the scope ticket of a query is used. */
  readonly honoursTickets: boolean;
  /** Returns the absolute base URL of image files. */
  readonly imagesUrl: (request: FastifyRequest) => string;
  /** Called with the name of the challenge type and of its preset. */
  readonly onIssued: (challenge: string, preset: string) => void;
}

/**
 * @param route.options the options of the challenges
 * @param route.limit challenges per address
 * @param route.imagesUrl returns the absolute URL of this route, the base URL of image files
 */
export default async function issueImage(
  app: FastifyInstance,
  route: { options: CaptchaOptions; limit: RequestLimit; imagesUrl: (request: FastifyRequest) => string },
): Promise<void> {
  const { options, limit, imagesUrl } = route;
  const countOf = new Map(
    [...app.issuer.presets.values()].map(({ name, kind }) => [
      name,
      app.metrics.issued(kind?.name ?? 'image', name),
    ]),
  );
  countOf.set(EFFORT, app.metrics.issued(EFFORT, EFFORT));
  const source: ImageSource = {
    deps: {
      options,
      ring: app.issuer.ring,
      limit,
      factorOf: app.limits.factorOf,
      random: app.issuer.random,
      raisedBits: app.issuer.raisedBits,
    },
    challenges: app.issuer.challenges,
    honoursTickets: true,
    imagesUrl,
    onIssued: (_challenge, preset) => countOf.get(preset)?.(),
  };

  app.get<{ Querystring: ImageQuery }>(
    '/',
    {
      prefixTrailingSlash: 'no-slash',
      config: {
        limited: true,
        head: headOf(JSON_TYPE, ({ query }) => checkPreset(app, source, query as ImageQuery)),
      },
      schema: {
        operationId: 'issueImage',
        summary: 'Get an image challenge, or its replacement',
        querystring: ImageQuery,
        response: { 200: AnyChallenge },
      },
    },
    (request, reply) => issueAnyImage(app, source, request, reply),
  );
}

/** @throws UnknownPreset */
function presetOf(app: FastifyInstance, scope: unknown, preset: unknown): NamedPreset {
  const known =
    app.issuer.demandedPreset(scope) ??
    findPreset(app.issuer.presets, typeof preset === 'string' ? preset : '');
  if (known === undefined) throw refuse(UnknownPreset);
  return known;
}

/** Rejects a query that `issueAnyImage` rejects. @throws UnknownPreset */
export function checkPreset(
  app: FastifyInstance,
  { deps, honoursTickets }: Pick<ImageSource, 'deps' | 'honoursTickets'>,
  { preset, scope }: ImageQuery,
): void {
  if (preset === EFFORT && deps.options.effort.enabled) return;
  presetOf(app, honoursTickets ? scope : undefined, preset);
}

/**
 * Issues the challenge of the preset that a query names.
 * @throws UnknownPreset, RateLimited, StoreUnavailableError
 */
export async function issueAnyImage(
  app: FastifyInstance,
  { deps, challenges, honoursTickets, imagesUrl, onIssued }: ImageSource,
  request: FastifyRequest<{ Querystring: ImageQuery }>,
  reply: FastifyReply,
): Promise<AnyChallenge> {
  const { options } = deps;
  const address = normaliseAddress(request.ip);
  const { preset, hint, algorithms } = request.query;
  const scope = honoursTickets ? request.query.scope : undefined;
  if (preset === EFFORT && options.effort.enabled) {
    const effort = effortIssue(deps, address, await app.issuer.pricedScope(scope), algorithms);
    const issued = await challenges.issueEffort(effort.issue);
    reportLimit(reply, effort.issue.limit, issued);
    onIssued(EFFORT, EFFORT);
    return effortChallenge(effort, issued);
  }
  const known = presetOf(app, scope, preset);
  const driver = (mayHaveImage(known) && (await app.issuer.images?.identity())) || NO_DRIVER;
  const prepared = imageIssue(deps, known, driver, address);
  const issued = await challenges.issueImage(prepared.issue);
  reportLimit(reply, prepared.issue.limit, issued);
  onIssued(known.kind?.name ?? 'image', known.name);
  // The serialiser of the schema would drop the fields that only the challenge type knows.
  if (known.kind !== null) reply.type(JSON_TYPE).serializer(JSON.stringify);
  return imageChallenge(prepared, issued, imagesUrl(request), options.test_mode, hint !== undefined);
}
