// Challenge path and field names, for the gateway and the demo page.
import { captchaOptionsFrom } from '@tollgate/shared/config';
import { type Environment, StartError } from '../launcher/local-environment.js';

/** The four field names by their defaults, as in `fields` of the browser package's `createChallenge`. */
export interface ChallengeFields {
  readonly pow_token: string;
  readonly pow_nonce: string;
  readonly captcha_token: string;
  readonly captcha: string;
}

export interface ChallengeNames {
  /** Route prefix without leading and trailing slashes. */
  readonly prefix: string;
  readonly fields: ChallengeFields;
}

/**
 * Reads the names from an environment without empty variables. The services check the rest.
 *
 * @param taken first segments of the gateway's own paths
 * @throws {StartError} if the challenge path begins with one of those
 */
export function readChallengeNames(environment: Environment, taken: readonly string[]): ChallengeNames {
  const { routes, pow, fields } = captchaOptionsFrom(environment);
  const [first = ''] = routes.prefix.split('/');
  if (taken.includes(first)) {
    throw new StartError(
      `CAPTCHA_ROUTES_PREFIX must not begin with "${first}", which is a path of the demo page.`,
    );
  }
  return {
    prefix: routes.prefix,
    fields: {
      pow_token: pow.fields.token,
      pow_nonce: pow.fields.nonce,
      captcha_token: fields.token,
      captcha: fields.answer,
    },
  };
}
