// POST /host/verify: checks a submission for a host in any language and, if wanted, counts the attempt.

import { requirementsOf } from '@tollgate/shared/challenges/form-rules.js';
import { idempotentClaim, submissionFrom } from '@tollgate/shared/challenges/submission.js';
import { refuse, ValidationFailed } from '@tollgate/shared/http/errors/errors.js';
import { localise } from '@tollgate/shared/http/errors/language.js';
import { explainVerdict } from '@tollgate/shared/http/guard/challenge-refusal.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { HostVerdict, type HostVerifyBody, hostVerifyBody } from '@tollgate/shared/schemas/host-bodies.js';
import type { FastifyInstance } from 'fastify';
import { callingApplication, requireAddress } from '../plugins/hosts.js';

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
        summary: 'Check the challenges of a submission, and count the attempt; a failed one is an answer too',
        security: [{ hostKey: [] }],
        body: hostVerifyBody(options),
        response: { 200: HostVerdict },
      },
    },
    async (request, reply): Promise<HostVerdict> => {
      const host = callingApplication(request);
      const { key, ip, count = false, pow = true, image, idempotency_key: idempotencyKey } = request.body;
      const { presets, min_difficulty: minDifficulty } = request.body;
      requireAddress(ip);
      if (count && key === undefined) throw refuse(ValidationFailed, { fields: { key: ['required'] } });
      const form = 'submission' in request.body ? request.body.submission : request.body;
      const submission = submissionFrom(form, host.fieldNames);
      const { verdict, failures, counted } = await host.attempt(submission, {
        key,
        ip,
        pow,
        image: image ?? 'offered',
        presets,
        minDifficulty,
        counts: count,
        ...(idempotencyKey === undefined
          ? {}
          : { claim: idempotentClaim(idempotencyKey, { application: host.name, submission, key, ip }) }),
      });
      const rules = { alwaysImage: image !== undefined, presets, minDifficulty };
      const tried = { submission, account: key === undefined ? undefined : { key, failures }, ip };
      // A form without work tells of an account only to who has passed.
      const stated =
        pow || verdict.ok
          ? await host.nextAttemptAfter(verdict, tried)
          : host.nextAttemptUnproven(submission, key !== undefined);
      const next = requirementsOf(stated, rules, options);
      if (verdict.ok) {
        return { success: true, ...next, ...(counted === null ? {} : { failures, try: counted.id }) };
      }
      request.log.info({ host: host.name, code: verdict.code, reason: verdict.reason }, 'challenge refused');
      return { success: false, ...explainVerdict(verdict, localise(request, reply)), ...next };
    },
  );
}
