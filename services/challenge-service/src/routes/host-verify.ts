// POST /host/verify: verifies a submission for an application in any language and, if requested, counts the attempt.

import {
  areAcceptedAlgorithms,
  demandOf,
  idempotentClaim,
  requirementsOf,
  submissionFrom,
} from '@tollgate/shared/challenges';
import { verdictBody } from '@tollgate/shared/guard';
import { refuse, ValidationFailed } from '@tollgate/shared/http';
import { localise } from '@tollgate/shared/messages';
import { type CaptchaOptions, HostVerdict, HostVerifyBody, hostVerifyBody } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { unknownSettings } from '../domain/host-settings.js';
import { applicationOf } from '../plugins/applications.js';

const SETTINGS = Object.keys(HostVerifyBody.properties);

/** @param route.options the options of the challenges */
export default async function hostVerify(
  app: FastifyInstance,
  { options }: { options: CaptchaOptions },
): Promise<void> {
  app.post<{ Body: HostVerifyBody }>(
    '/host/verify',
    {
      onRequest: app.requireHostKey,
      config: { responseHeaders: { 'Content-Language': 'Language of `message` after a failed attempt' } },
      schema: {
        operationId: 'verifySubmission',
        summary: 'Verify the challenges of a submission, and count the attempt; a failed one is 200 too',
        security: [{ hostKey: [] }],
        body: hostVerifyBody(options),
        response: { 200: HostVerdict },
      },
    },
    async (request, reply): Promise<HostVerdict> => {
      const application = applicationOf(request);
      const { key, ip, count = false, pow = true, image, idempotency_key: idempotencyKey } = request.body;
      const { presets, algorithms, captcha_pass: pass } = request.body;
      const minDifficulty = leastBits(request.body);
      const unknown = unknownSettings(request.body, SETTINGS, application.fieldNames);
      if (unknown.length > 0) {
        const fields = Object.fromEntries(unknown.map((name) => [name, ['unknown_field' as const]]));
        throw refuse(ValidationFailed, { fields });
      }
      if (algorithms !== undefined && !areAcceptedAlgorithms(algorithms, options)) {
        throw refuse(ValidationFailed, { fields: { algorithms: ['out_of_range'] } });
      }
      if (count && key === undefined) throw refuse(ValidationFailed, { fields: { key: ['required'] } });
      const form = 'submission' in request.body ? request.body.submission : request.body;
      const submission = submissionFrom(form, application.fieldNames);
      const { verdict, failures, counted } = await application.attempt(submission, {
        key,
        ip,
        pow,
        image: image ?? 'offered',
        presets,
        minDifficulty,
        algorithms,
        pass,
        counts: count,
        claim:
          idempotencyKey === undefined
            ? undefined
            : idempotentClaim(idempotencyKey, { application: application.name, submission, key, ip }),
      });
      const rules = { needsWork: pow, alwaysImage: image !== undefined, presets, minDifficulty, algorithms };
      const demand = demandOf(rules);
      const account = key === undefined ? undefined : { key, failures };
      const attempted = { submission, account, ip, demand };
      // Without work, the failures of an account are revealed only to a submission that has passed, or by its error.
      const requirements =
        counted !== null
          ? // The attempt counts as a failure: the address remembers the price of the next one.
            await application.nextAttempt(key, failures, ip, demand)
          : pow || verdict.ok || verdict.code === 'captcha_required'
            ? await application.nextAttemptAfter(verdict, attempted)
            : application.nextAttemptUnproven(submission, key !== undefined, demand);
      const next = requirementsOf(requirements, rules, options, submission);
      if (verdict.ok) {
        const passed = { ...next, success: true };
        return counted === null ? passed : { ...passed, failures, try: counted.id };
      }
      request.log.info(
        { host: application.name, code: verdict.code, reason: verdict.reason },
        'challenge rejected',
      );
      const { waitMs } = verdict;
      const wait = waitMs === undefined ? {} : { retry_after: Math.ceil(waitMs / 1000) };
      return { success: false, ...verdictBody(verdict, localise(request, reply)), ...wait, ...next };
    },
  );
}

/** Returns the lowest difficulty that a call requires, in bits; undefined if it requires none. */
function leastBits({ at_least = 0, min_difficulty = 0 }: HostVerifyBody): number | undefined {
  return Math.max(at_least, min_difficulty) || undefined;
}
