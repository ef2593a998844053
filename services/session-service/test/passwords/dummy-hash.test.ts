// What an account that does not exist is verified against.

import t from 'tap';
import { createDummyHash } from '../../src/passwords/dummy-hash.js';
import { hashCost, makeDummyHash, TODAYS_COST } from '../../src/passwords/password-hash.js';

const BCRYPT = '$2b$12';
const SCRYPT = '$scrypt$ln=15,r=8,p=1';

t.test('it begins with the hashes of today', async (t) => {
  t.equal(hashCost(createDummyHash().dummy), TODAYS_COST);
});

t.test('one user is enough to learn a directory whose hashes are all alike', async (t) => {
  const census = createDummyHash();
  census.note(1, makeDummyHash(BCRYPT));
  t.equal(hashCost(census.dummy), BCRYPT);
});

t.test('the most common cost decides, and the present one as long as no other is more common', async (t) => {
  const census = createDummyHash();
  const dummies = [BCRYPT, SCRYPT, SCRYPT, BCRYPT, BCRYPT].map((cost, id) => {
    census.note(id, makeDummyHash(cost));
    return census.dummy;
  });
  t.strictSame(dummies.map(hashCost), [BCRYPT, BCRYPT, SCRYPT, SCRYPT, BCRYPT]);
  t.equal(dummies[0], dummies[1], 'and the dummy stays the same with it');
});

t.test('a user counts once, with the newest hash', async (t) => {
  const census = createDummyHash();
  for (const id of [1, 2]) census.note(id, makeDummyHash(BCRYPT));
  for (let times = 0; times < 100; times++) census.note(3, makeDummyHash(TODAYS_COST));
  t.equal(hashCost(census.dummy), BCRYPT, 'signing in again and again shifts nothing');
  census.note(1, makeDummyHash(TODAYS_COST));
  t.equal(hashCost(census.dummy), TODAYS_COST, 'a replaced hash counts as what it is now');
});

t.test('what is no hash is not counted', async (t) => {
  const census = createDummyHash();
  for (const [id, text] of ['', '!', '$5$x', '$2b$31$x'].entries()) census.note(id, text);
  t.equal(hashCost(census.dummy), TODAYS_COST);
});

t.test('it remembers a bounded number of users, the newest', async (t) => {
  const census = createDummyHash();
  for (let id = 0; id < 5000; id++) census.note(id, makeDummyHash(BCRYPT));
  for (let id = 0; id < 1000; id++) census.note(id + 5000, makeDummyHash(SCRYPT));
  census.note(1, makeDummyHash(TODAYS_COST));
  t.equal(hashCost(census.dummy), SCRYPT);
  for (let id = 0; id < 501; id++) census.note(id, makeDummyHash(BCRYPT));
  t.equal(hashCost(census.dummy), BCRYPT);
});
