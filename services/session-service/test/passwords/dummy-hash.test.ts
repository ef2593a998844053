// The dummy hash against which unknown accounts are verified.

import t from 'tap';
import { CURRENT_COST, hashCost, makeDummyHash } from '../../src/passwords/password-hash.js';
import { createDummyHash } from '../../src/passwords/sign-in.js';

const BCRYPT = '$2b$12';
const SCRYPT = '$scrypt$ln=15,r=8,p=1';

t.test('it starts with the cost of new hashes', async (t) => {
  t.equal(hashCost(createDummyHash().value), CURRENT_COST);
});

t.test('one user is enough to learn the cost of a directory with uniform hashes', async (t) => {
  const dummyHash = createDummyHash();
  dummyHash.note(1, makeDummyHash(BCRYPT));
  t.equal(hashCost(dummyHash.value), BCRYPT);
});

t.test('the most common cost is used, and a tie keeps the current one', async (t) => {
  const dummyHash = createDummyHash();
  const dummies = [BCRYPT, SCRYPT, SCRYPT, BCRYPT, BCRYPT].map((cost, id) => {
    dummyHash.note(id, makeDummyHash(cost));
    return dummyHash.value;
  });
  t.strictSame(dummies.map(hashCost), [BCRYPT, BCRYPT, SCRYPT, SCRYPT, BCRYPT]);
  t.equal(dummies[0], dummies[1], 'and the dummy hash stays the same with it');
});

t.test('a user counts once, with the newest hash', async (t) => {
  const dummyHash = createDummyHash();
  for (const id of [1, 2]) dummyHash.note(id, makeDummyHash(BCRYPT));
  for (let times = 0; times < 100; times++) dummyHash.note(3, makeDummyHash(CURRENT_COST));
  t.equal(hashCost(dummyHash.value), BCRYPT, 'repeated logins shift nothing');
  dummyHash.note(1, makeDummyHash(CURRENT_COST));
  t.equal(hashCost(dummyHash.value), CURRENT_COST, 'a replaced hash counts with its new cost');
});

t.test('a text that is not a hash is not counted', async (t) => {
  const dummyHash = createDummyHash();
  for (const [id, text] of ['', '!', '$5$x', '$2b$31$x'].entries()) dummyHash.note(id, text);
  t.equal(hashCost(dummyHash.value), CURRENT_COST);
});

t.test('it remembers a limited number of users and forgets the oldest', async (t) => {
  const dummyHash = createDummyHash();
  for (let id = 0; id < 5000; id++) dummyHash.note(id, makeDummyHash(BCRYPT));
  for (let id = 0; id < 1000; id++) dummyHash.note(id + 5000, makeDummyHash(SCRYPT));
  dummyHash.note(1, makeDummyHash(CURRENT_COST));
  t.equal(hashCost(dummyHash.value), SCRYPT);
  for (let id = 0; id < 501; id++) dummyHash.note(id, makeDummyHash(BCRYPT));
  t.equal(hashCost(dummyHash.value), BCRYPT);
});
