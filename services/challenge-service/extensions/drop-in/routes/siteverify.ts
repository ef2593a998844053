// POST and GET {prefix}/siteverify: verifies a receipt for a site's server, like reCAPTCHA, hCaptcha and Turnstile.

import type { AuditTrail } from '@tollgate/shared/audit';
import { addressPseudonym, normaliseAddress } from '@tollgate/shared/challenges';
import { type Count, createProcessCounter, headOf, resolveAnswer } from '@tollgate/shared/http';
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify';
import { WINDOW_MS } from '../../../src/plugins/issue-limit.js';
import { type Api, SiteverifyAnswer, SiteverifyBody, type SiteverifyError } from '../site-bodies.js';
import type { PresentedSecret } from '../sites.js';
import { acceptedAnswer, answerText, refusedAnswer } from '../siteverify-answer.js';
import { readSiteverify } from '../siteverify-request.js';

/**
 * The paths below the prefix: our own, then those of clients that append a path to a configured host, with the vendor whose
 * layout they expect.
 */
const PATHS = [
  ['/siteverify', null, 'verifyReceipt', 'Verify a receipt; an invalid one is 200 too'],
  [
    '/api/siteverify',
    'recaptcha',
    'verifyReceiptBelowApi',
    'Verify a receipt, for clients that append this path',
  ],
  [
    '/recaptcha/api/siteverify',
    'recaptcha',
    'verifyRecaptchaReceipt',
    'Verify a receipt under the path of reCAPTCHA',
  ],
  [
    '/turnstile/v0/siteverify',
    'turnstile',
    'verifyTurnstileReceipt',
    'Verify a receipt under the path of Turnstile',
  ],
] as const;

const JSON_TYPE = 'application/json; charset=utf-8';
const TYPES = ['application/x-www-form-urlencoded', 'application/json', 'multipart/form-data'];

/**
 * Unknown secrets that are looked up per minute and address, before the factor of its range. Valid ones are not limited
 * here.
 */
const MAX_WRONG_SECRETS = 60;

const NO_BODY = Buffer.alloc(0);
const RETRY_SECONDS = 1;

type SiteverifyRequest = FastifyRequest<{ Body: Buffer | undefined }>;

/**
 * @param route.limitPerMinute genuine receipts per minute and secret
 * @param route.trail the audit trail
 */
export default async function siteverify(
  app: FastifyInstance,
  { limitPerMinute, trail }: { limitPerMinute: number; trail: AuditTrail },
): Promise<void> {
  const count: Count = createProcessCounter();
  const { sites, issuer } = app;
  const { ring } = issuer;

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler(answerFailure);
    for (const [url, vendor, operationId, summary] of PATHS) {
      const options = {
        onRequest: writeAs(vendor),
        // The schemas only document the route: the fields are read below, in each of their forms.
        validatorCompiler: () => () => true,
        config: {
          alwaysOk: true,
          responseHeaders: { 'Retry-After': 'With `internal-error`: seconds to wait' },
          // The verdict has no reader, so it costs neither a receipt nor a place in a limit.
          head: headOf(JSON_TYPE),
        },
      };
      const response = { 200: SiteverifyAnswer };
      const body = { consumes: TYPES, body: SiteverifyBody };
      scope.post<{ Body: Buffer | undefined }>(
        url,
        { ...options, schema: { operationId, summary, ...body, response } },
        verify,
      );
      scope.get<{ Body: undefined }>(
        url,
        {
          ...options,
          schema: {
            operationId: `${operationId}OfQuery`,
            summary: 'Verify a receipt, for clients that cannot send a body; intermediaries log addresses',
            querystring: SiteverifyBody,
            response,
          },
        },
        verify,
      );
    }
  });

  async function verify(request: SiteverifyRequest, reply: FastifyReply): Promise<SiteverifyAnswer> {
    const fields = await readSiteverify(requestOf(request));
    if (fields === null) return refused('', 'bad-request');
    const { secret, response, ...question } = fields;
    if (response === undefined || secret === undefined) {
      return refused(
        '',
        ...(response === undefined ? (['missing-input-response'] as const) : []),
        ...(secret === undefined ? (['missing-input-secret'] as const) : []),
      );
    }
    const presented = sites.ofSecret(secret);
    if (presented === undefined) return refuseSecret(request, reply);
    const { site, verify: verifyReceipt } = presented.served;
    // Forged receipts, which anybody can post to the site's form, do not count for its secret.
    const verdict = await verifyReceipt({ ...question, response }, () => countFor(presented, reply));
    if (!verdict.ok) return refused(site.key, verdict.code);
    sites.counters.verified(site.key, 'success');
    if (verdict.record.api === 'recaptcha') writeIn(reply, 'recaptcha');
    return acceptedAnswer(verdict.record, site.score);
  }

  function refused(site: string, ...codes: SiteverifyError[]): SiteverifyAnswer {
    for (const code of codes) sites.counters.verified(site, code);
    return refusedAnswer(...codes);
  }

  async function countFor({ id }: PresentedSecret, reply: FastifyReply): Promise<SiteverifyError | null> {
    const { count: requests, ttlMs } = await count(`secret:${id}`, WINDOW_MS);
    return requests > limitPerMinute ? retryAfter(reply, ttlMs) : null;
  }

  async function refuseSecret(request: SiteverifyRequest, reply: FastifyReply): Promise<SiteverifyAnswer> {
    const ip = normaliseAddress(request.ip);
    const address = addressPseudonym(ring.current, ip ?? '');
    trail.write({ event: 'site_secret_refused', address, request: request.id });
    const { count: requests, ttlMs } = await count(`address:${address}`, WINDOW_MS);
    const most = MAX_WRONG_SECRETS * app.limits.factorOf(ip);
    return refused('', requests > most ? retryAfter(reply, ttlMs) : 'invalid-input-secret');
  }

  /** Clients treat another status than 200 as an outage of theirs, or as a valid receipt. */
  async function answerFailure(
    thrown: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { answer } = await resolveAnswer(thrown, request);
    const code = answer.status < 500 ? 'bad-request' : retryAfter(reply, RETRY_SECONDS * 1000);
    // Fastify has removed the type that `writeAs` set.
    return reply.code(200).type(JSON_TYPE).send(refused('', code));
  }
}

/** Returns a hook that sets the layout of the response. */
function writeAs(vendor: Api | null): onRequestHookHandler {
  return (_request, reply, done) => {
    writeIn(reply, vendor);
    done();
  };
}

function writeIn(reply: FastifyReply, vendor: Api | null): void {
  reply.type(JSON_TYPE).serializer((answer: SiteverifyAnswer) => answerText(answer, vendor));
}

function requestOf({ url, headers, body }: SiteverifyRequest) {
  const at = url.indexOf('?');
  return {
    contentType: headers['content-type'] ?? '',
    body: body ?? NO_BODY,
    query: at < 0 ? '' : url.slice(at + 1),
  };
}

function retryAfter(reply: FastifyReply, ms: number): 'internal-error' {
  reply.header('retry-after', Math.max(1, Math.ceil(ms / 1000)));
  return 'internal-error';
}
