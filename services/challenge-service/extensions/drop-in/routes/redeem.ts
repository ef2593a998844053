// POST {prefix}/sites/{sitekey}/redeem: exchanges the page's work for a receipt.

import type { AuditTrail } from '@tollgate/shared/audit';
import { addressPseudonym, type FailedVerdict, normaliseAddress } from '@tollgate/shared/challenges';
import {
  CaptchaInvalid,
  CaptchaRequired,
  PowInvalid,
  refusalReason,
  refuse,
  suspiciousRefusal,
} from '@tollgate/shared/http';
import { isoTime } from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HostnameNotAllowed } from '../drop-in-errors.js';
import { pageHostname } from '../hostnames.js';
import { Receipt, RedeemBody, SITE_PATH, SiteParams } from '../site-bodies.js';
import { siteOf } from '../sites.js';

const REFUSED = 'Work or answer is wrong, spent, or of another site';

/**
 * @param route.ownOrigin origin of `PUBLIC_URL`, which the frame of the widget has
 * @param route.trail the audit trail
 */
export default async function redeem(
  app: FastifyInstance,
  { ownOrigin, trail }: { ownOrigin: string; trail: AuditTrail },
): Promise<void> {
  app.post<{ Params: SiteParams; Body: RedeemBody }>(
    `${SITE_PATH}/redeem`,
    {
      onRequest: [app.sites.requireSite, app.sites.countRedemption],
      config: {
        limited: true,
        refusals: {
          403: { description: "The page's host name is not one of the site", headers: {} },
          422: { description: REFUSED, headers: {} },
        },
      },
      schema: {
        operationId: 'redeemWork',
        summary: 'Exchange work for a receipt',
        params: SiteParams,
        body: RedeemBody,
        response: { 200: Receipt },
      },
    },
    async (request): Promise<Receipt> => {
      const served = siteOf(request);
      const { key, receipt_seconds: receiptSeconds } = served.site;
      // Our frame always reports an origin: without one, the request comes from a page of our own origin.
      const { origin = ownOrigin } = request.body;
      const hostname = pageHostname(request.headers.origin, origin, ownOrigin);
      if (hostname === null || !served.allowsHostname(hostname)) {
        app.sites.counters.redeemed(key, 'hostname_not_allowed');
        throw refuse(HostnameNotAllowed);
      }
      const redeemed = await served.redeem(request.body, { hostname, ip: request.ip });
      if (!redeemed.ok) {
        app.sites.counters.redeemed(key, redeemed.code, redeemed.algorithm);
        report(request, key, redeemed);
        throw refuse(errorOf(redeemed), { fields: redeemed.fields });
      }
      app.sites.counters.redeemed(key, 'redeemed', redeemed.algorithm);
      const { receipt: token, expiresAtMs } = redeemed;
      return { token, expires_in: receiptSeconds, expires_at: isoTime(expiresAtMs) };
    },
  );

  function report(
    request: FastifyRequest,
    site: string,
    verdict: FailedVerdict & { isReplay: boolean },
  ): void {
    const { code, isReplay } = verdict;
    request.log.info({ site, code, reason: refusalReason(verdict, isReplay) }, 'challenge rejected');
    const suspicious = suspiciousRefusal(verdict, isReplay);
    if (suspicious === null) return;
    const address = normaliseAddress(request.ip);
    trail.write({
      event: 'site_challenge_refused',
      site,
      ...suspicious,
      ...(address === null ? {} : { address: addressPseudonym(app.issuer.ring.current, address) }),
      request: request.id,
    });
  }
}

function errorOf({ code }: FailedVerdict) {
  if (code === 'captcha_required') return CaptchaRequired;
  return code === 'captcha_invalid' ? CaptchaInvalid : PowInvalid;
}
