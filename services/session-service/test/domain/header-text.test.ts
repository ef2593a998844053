// Header texts of Device Bound Session Credentials, which anyone can send.

import t from 'tap';
import { headerText } from '../../src/domain/binding/device-proof.js';

t.test('it is read bare or quoted, and without parameters', async (t) => {
  for (const value of ['a.b', '"a.b"', 'a.b;x=1', '"a.b" ; x="y"', 'a.b  ']) {
    t.equal(headerText(value), 'a.b', value);
  }
  for (const value of [undefined, '', 'a b', '"a', '"a"b', 'a"', ['a.b', 'a.b']]) {
    t.equal(headerText(value), '', String(value));
  }
});

t.test('long white space in a header is scanned once, not from each character', async (t) => {
  // With white space before and after the text, a header of 15,000 characters took 0.4 s.
  for (const space of ['\u00a0', '\t', ' ']) t.equal(headerText(`${space.repeat(15_000)}x`), '');
});
