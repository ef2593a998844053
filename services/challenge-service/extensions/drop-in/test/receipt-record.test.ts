// The encoding of a receipt record.

import fc from 'fast-check';
import t from 'tap';
import { encodeReceiptTail, parseReceiptRecord } from '../receipt-record.js';

const hex = (digits: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const address = fc.option(hex(32));
const receipt = fc.record({
  keyId: hex(8),
  address,
  api: fc.option(fc.constantFrom('recaptcha' as const, 'hcaptcha' as const, 'turnstile' as const)),
  hostname: fc.stringMatching(/^[a-z0-9.:[\]-]{1,60}$/),
  action: fc.stringMatching(/^[A-Za-z0-9_/-]{0,100}$/),
  cdata: fc.stringMatching(/^[A-Za-z0-9_-]{0,255}$/),
});

t.test('a receipt survives encoding and decoding, and other texts are rejected', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(receipt, time, (part, redeemedAtMs) => {
        const read = parseReceiptRecord(`${redeemedAtMs} ${encodeReceiptTail(part)}`);
        return (
          read !== null && JSON.stringify({ ...part, ...read }) === JSON.stringify({ ...part, redeemedAtMs })
        );
      }),
    ),
  );
  const good = `1 01954fbf - - shop.example  `;
  t.not(parseReceiptRecord(good), null);
  for (const line of [
    '',
    'x',
    good.trimEnd(),
    `${good} `,
    `!claim 5 ${good}`,
    good.replace('- -', '- other'),
  ])
    t.equal(parseReceiptRecord(line), null, line);
});
