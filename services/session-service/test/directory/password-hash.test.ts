// Passwords and their hashes.

import { hash } from '@node-rs/argon2';
import t from 'tap';
import { dummyHash, hashPassword, needsRehash, verifyPassword } from '../../src/directory/password-hash.js';

t.test('a hash is argon2id with 19 MiB, two passes and one lane, and salted', async (t) => {
  const [first, second] = await Promise.all([hashPassword('pass word'), hashPassword('pass word')]);
  t.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  t.not(first, second);
  t.equal(needsRehash(first), false);
});

t.test('only the password itself matches', async (t) => {
  const hashed = await hashPassword('pässword 😀');
  t.equal(await verifyPassword(hashed, 'pässword 😀'), true);
  for (const other of ['', 'pässword', 'Pässword 😀', 'pässword 😀 ', 'pässword 😀\0']) {
    t.equal(await verifyPassword(hashed, other), false);
  }
});

t.test('a hash made elsewhere matches, and a weak one is to be made again', async (t) => {
  const weak = await hash('password', { memoryCost: 4096, timeCost: 3 });
  t.equal(await verifyPassword(weak, 'password'), true);
  t.equal(needsRehash(weak), true);
  t.equal(needsRehash(await hash('password', { memoryCost: 19_456, timeCost: 1 })), true);
  t.equal(
    needsRehash(await hash('password', { memoryCost: 20_000, timeCost: 3 })),
    false,
    'never made weaker',
  );
});

t.test('what is no argon2id hash matches nothing and is to be made again', async (t) => {
  for (const text of ['', 'password', '$argon2id$', '$argon2id$v=19$m=19456,t=2,p=1$x', '$2b$10$abc']) {
    t.equal(await verifyPassword(text, text), false);
    t.equal(needsRehash(text), true);
  }
});

t.test('the dummy hash is one of today and the same all the time', async (t) => {
  const [first, second] = await Promise.all([dummyHash(), dummyHash()]);
  t.equal(first, second);
  t.equal(needsRehash(first), false);
});
