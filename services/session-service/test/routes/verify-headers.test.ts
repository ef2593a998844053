// Text encoding in the headers of GET /verify.

import fc from 'fast-check';
import t from 'tap';
import { headerText } from '../../src/routes/bearer/verify.js';

t.test('decoding returns the original text, and only printable ASCII is sent', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      const sent = headerText(text);
      return /^[\x21-\x7e]*$/.test(sent) && decodeURIComponent(sent) === text;
    }),
    { numRuns: 2000 },
  );
  t.equal(headerText('ann+x@example.com'), 'ann+x@example.com');
  t.equal(headerText('50% ö\r\nX: y'), '50%25%20%C3%B6%0D%0AX:%20y');
});
