// The audit events about the price of work.

import { Type } from '@sinclair/typebox';
import { CHALLENGE, event } from './audit-fields.js';

/** The events by their names. */
export const priceEvents = {
  price_raised: event(
    'price_raised',
    CHALLENGE,
    'The manual price of work was set, changed or ended (0 bits); each process writes it',
    {
      bits: Type.Integer({ minimum: 0, maximum: 23, description: 'Bits added to the floor' }),
      minutes: Type.Integer({
        minimum: 0,
        description: 'Minutes until it ends; 0 if ended',
      }),
    },
  ),
} as const;
