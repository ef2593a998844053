// Verifies the challenges of a form with the host API.

import type { FormVerifier } from './form-verifier.js';
import { type CallOptions, callService } from './service-call.js';
import { ADDRESS, check, PRINTABLE_ASCII } from './settings.js';
import { attributesOf, type HostApiVerdict, rejected } from './verdict.js';
import type { HostVerdict, HostVerifyBody } from './wire.js';

/** Requirements of the form, as in `POST /host/verify`. */
export type FormRules = Pick<HostVerifyBody, 'pow' | 'image' | 'presets' | 'algorithms' | 'at_least'>;

/** Options for a form with the element `<tollgate-challenge>`. */
export interface HostOptions extends CallOptions {
  /** Address of challenge-service's admin port, such as `http://127.0.0.1:9002`. */
  readonly hostApi: string | URL | undefined;
  /** This application's key in `HOST_API_KEY` or `HOST_API_KEYS`. */
  readonly key: string | undefined;
  /** Requirements of the form; by default a proof of work, and an image after failures. */
  readonly rules?: FormRules | undefined;
  /** Names of the challenge fields, if the service uses others. */
  readonly fields?: readonly string[] | undefined;
}

/** Facts of one submission. */
export interface HostContext {
  /** The visitor's address. */
  readonly ip?: string | null | undefined;
  /** The account that is attempted, in one spelling: its failures raise the price. */
  readonly account?: string | undefined;
  /** False for a form whose attempts do not count; otherwise each is a failure of the account until `succeeded()`. */
  readonly count?: boolean | undefined;
  /** Language of `message`, such as the header `Accept-Language`, which is read from a `Request`. */
  readonly language?: string | null | undefined;
  /** The header `Captcha-Pass`, which is read from a `Request`. */
  readonly pass?: string | null | undefined;
  /** Cancels the verification. */
  readonly signal?: AbortSignal | null | undefined;
}

const FIELDS = ['pow_token', 'pow_nonce', 'captcha_token', 'captcha'];

/** @throws TypeError */
export function createHostVerifier(options: HostOptions): FormVerifier<HostContext, HostApiVerdict> {
  const { rules, fields: names = FIELDS } = options;
  const url = check('hostApi', options.hostApi, ADDRESS).replace(/\/+$/, '');
  const authorization = `Bearer ${check('key', options.key, PRINTABLE_ASCII)}`;
  return {
    names,
    async verify(
      { fields: submission, headers: received },
      { account: key, count, pass, signal, ...context },
    ) {
      const ip = context.ip || undefined;
      const language = context.language || received.get('accept-language');
      const headers = { authorization, ...(language && { 'accept-language': language }) };
      const forget = async (body: object): Promise<boolean> => {
        if (key === undefined) return true;
        const request = {
          method: 'DELETE',
          url: `${url}/host/failures`,
          headers,
          body: { key, ...body },
        } as const;
        return (await callService(request, options)).status === 204;
      };

      const { status, isAccepted, json, failure } = await callService(
        {
          url: `${url}/host/verify`,
          headers,
          body: {
            ...rules,
            submission,
            key,
            ip,
            count: key !== undefined && count !== false,
            captcha_pass: pass || received.get('captcha-pass') || undefined,
            idempotency_key: crypto.randomUUID(),
          },
          signal,
        },
        options,
      );
      const { success, failures, try: id, ...body } = json as unknown as HostVerdict;
      if (isAccepted) {
        return {
          ok: true,
          outcome: 'accepted',
          failures,
          next: body,
          attributes: attributesOf(body),
          succeeded: () => forget({ ip }),
          withdraw: async () => id === undefined || forget({ try: id }),
        };
      }
      // A visitor can choose texts that are too long, but no other setting.
      const isRejected = status === 200 || status === 413 || body.errors?.key;
      return isRejected && typeof body.code === 'string' ? rejected(body.code, body) : failure;
    },
  };
}
