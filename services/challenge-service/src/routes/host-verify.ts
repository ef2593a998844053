// POST /host/verify: checks a submission for a host in any language.

import { idempotentClaim } from '@tollgate/shared/challenges/idempotent-claim.js';
import { submissionFrom } from '@tollgate/shared/challenges/submission.js';
import { localise } from '@tollgate/shared/http/language.js';
import { textsOf } from '@tollgate/shared/http/send-error.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { HostVerdict, type HostVerifyBody, hostVerifyBody } from '@tollgate/shared/schemas/host-bodies.js';
import type { FastifyInstance } from 'fastify';
import { callingHostOf, requireAddress } from '../plugins/hosts.js';

/** @param route.options the options of the challenges */
export default async function hostVerify(
  app: FastifyInstance,
  { options }: { options: CaptchaOptions },
): Promise<void> {
  app.post<{ Body: HostVerifyBody }>(
    '/host/verify',
    {
      onRequest: app.requireHostKey,
      schema: {
        operationId: 'verifySubmission',
        summary: 'Check the challenges of a submission; a failed one is an answer too',
        security: [{ hostKey: [] }],
        body: hostVerifyBody(options),
        response: { 200: HostVerdict },
      },
    },
    async (request, reply): Promise<HostVerdict> => {
      const host = callingHostOf(request);
      const { key, ip, idempotency_key: idempotencyKey } = request.body;
      requireAddress(ip);
      const submission = submissionFrom(request.body, host.fieldNames);
      const failures = key === undefined ? 0 : (await host.standing(key)).failures;
      const demanded = key !== undefined && failures >= options.escalation.after;
      const verdict = await host.verify(submission, {
        ip,
        pow: true,
        image: demanded ? 'demanded' : 'offered',
        ...(key === undefined ? {} : { account: { key, failures } }),
        ...(idempotencyKey === undefined
          ? {}
          : { claim: idempotentClaim(idempotencyKey, { host: host.name, submission, key, ip }) }),
      });
      const next = host.nextAttempt(key, failures);
      if (verdict.ok) return { success: true, ...next };
      request.log.info({ host: host.name, code: verdict.code, reason: verdict.reason }, 'challenge refused');
      const errors = textsOf(verdict.fields, localise(request, reply));
      return { success: false, code: verdict.code, errors, ...next };
    },
  );
}
