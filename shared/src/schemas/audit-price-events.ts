// The audit events about the price of work.

import { Type } from '@sinclair/typebox';
import { CHALLENGE, event } from './audit-fields.js';

/** The events by their names. */
export const priceEvents = {
  price_raised: event(
    'price_raised',
    CHALLENGE,
    'Somebody has raised the price of work by hand, raised it to another one, or ended that (0 bits). Each process writes it when it learns of it',
    {
      bits: Type.Integer({ minimum: 0, maximum: 23, description: 'Bits that are added to the floor' }),
      minutes: Type.Integer({
        minimum: 0,
        description: 'Minutes until it ends by itself; 0 if it has ended',
      }),
    },
  ),
} as const;
