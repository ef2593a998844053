// The text of the headers of Device Bound Session Credentials, which strangers can send.

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

t.test('a header of white space is not searched for a text from each of its characters on', async (t) => {
  // With white space before the text and after it, a header of 15,000 took 0.4 s.
  for (const space of ['\u00a0', '\t', ' ']) t.equal(headerText(`${space.repeat(15_000)}x`), '');
});
