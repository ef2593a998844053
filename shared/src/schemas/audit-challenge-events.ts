// Audit events about challenges and verification.

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
    'Wrong work or answer; not for incomplete forms or work that became too cheap',
    {
      application,
      code: oneOf('Returned code', 'pow_invalid', 'captcha_invalid'),
      reason: challengeRefusal,
      account: Type.Optional(account),
      address,
    },
  ),
  pass_used: event('pass_used', BOTH, 'A pass replaced the work of a submission', {
    application,
    pass: Type.String({ description: 'Pass name' }),
    account: Type.Optional(account),
    address,
  }),
  pass_refused: event('pass_refused', BOTH, 'A pass was rejected', {
    application,
    pass: Type.Optional(Type.String({ description: 'Pass name, if it exists' })),
    reason: passRefusal,
    account: Type.Optional(account),
    address,
  }),
  host_key_refused: event('host_key_refused', CHALLENGE, 'Missing or wrong key of the host API', {
    address,
    request,
  }),
  site_challenge_refused: event(
    'site_challenge_refused',
    CHALLENGE,
    'A site page redeemed wrong work or a wrong answer',
    {
      site: Type.String({ description: 'Site key' }),
      code: oneOf('Returned code', 'pow_invalid', 'captcha_invalid'),
      reason: challengeRefusal,
      address,
      request,
    },
  ),
  site_secret_refused: event('site_secret_refused', CHALLENGE, '`siteverify` with an unknown secret', {
    address,
    request,
  }),
} as const;
