// The events of the audit stream about challenges and those who verify them.

import { Type } from '@sinclair/typebox';
import {
  account,
  address,
  application,
  BOTH,
  CHALLENGE,
  challengeRefusal,
  event,
  oneOf,
  passRefusal,
  request,
} from './audit-fields.js';

/** Events by their names. */
export const challengeEvents = {
  challenge_refused: event(
    'challenge_refused',
    BOTH,
    'A submission came with wrong work or a wrong answer. Forms that are incomplete, and work that has become too cheap, are ordinary and make no event',
    {
      application,
      code: oneOf('Code of the answer', 'pow_invalid', 'captcha_invalid'),
      reason: challengeRefusal,
      account: Type.Optional(account),
      address,
    },
  ),
  pass_used: event('pass_used', BOTH, 'A pass stood in for the work of a submission', {
    application,
    pass: Type.String({ description: 'Name of the pass' }),
    account: Type.Optional(account),
    address,
  }),
  pass_refused: event('pass_refused', BOTH, 'A pass was presented in place of work, and refused', {
    application,
    pass: Type.Optional(Type.String({ description: 'Name of the pass, if there is one of this name' })),
    reason: passRefusal,
    account: Type.Optional(account),
    address,
  }),
  host_key_refused: event('host_key_refused', CHALLENGE, 'The host API was called without a right key', {
    address,
    request,
  }),
  site_challenge_refused: event(
    'site_challenge_refused',
    CHALLENGE,
    'A page of a site redeemed wrong work or a wrong answer',
    {
      site: Type.String({ description: 'Key of the site' }),
      code: oneOf('Code of the answer', 'pow_invalid', 'captcha_invalid'),
      reason: challengeRefusal,
      address,
      request,
    },
  ),
  site_secret_refused: event(
    'site_secret_refused',
    CHALLENGE,
    'A receipt was to be verified with a secret that is that of no site',
    { address, request },
  ),
} as const;
