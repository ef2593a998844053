// Text in a header.

import fc from 'fast-check';
import t from 'tap';
import { headerText } from '../../src/domain/header-text.js';

t.test('whoever decodes gets the text back, and nothing but printable ASCII was sent', async (t) => {
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
