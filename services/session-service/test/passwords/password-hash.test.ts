// Passwords and their hashes, also those of other frameworks.

import { scryptSync } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { hash as bcryptHash } from '@node-rs/bcrypt';
import t from 'tap';
import {
  CURRENT_COST,
  hashCost,
  hashPassword,
  makeDummyHash,
  needsRehash,
  verifyPassword,
} from '../../src/passwords/password-hash.js';

t.test('a hash is argon2id with 19 MiB, two passes and one lane, and salted', async (t) => {
  const [first, second] = await Promise.all([hashPassword('pass word'), hashPassword('pass word')]);
  t.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  t.not(first, second);
  t.equal(hashCost(first), CURRENT_COST);
  t.equal(needsRehash(first, 'pass word'), false);
});

t.test('only the password itself matches', async (t) => {
  const hashes = [
    await hashPassword('pässword 😀'),
    await bcryptHash('pässword 😀', 4),
    scryptHash('pässword 😀', 10, 8, 2),
  ];
  for (const hashed of hashes) {
    t.equal(await verifyPassword(hashed, 'pässword 😀'), true);
    for (const other of [
      '',
      'pässword',
      'Pässword 😀',
      'pässword 😀 ',
      'pässword 😀\0',
      'pa\u0308ssword 😀',
    ]) {
      t.equal(await verifyPassword(hashed, other), false);
    }
  }
});

t.test('test vectors of other programs match', async (t) => {
  const vectors: [string, string, string][] = [
    // RFC 9106 has no vector without a key; this one is from the tests of the Argon2 reference implementation.
    [
      'argon2id',
      'password',
      '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    ],
    // RFC 7914, section 12, second and third vectors.
    [
      'scrypt',
      'password',
      '$scrypt$ln=10,r=8,p=16$TmFDbA$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA',
    ],
    [
      'scrypt',
      'pleaseletmein',
      '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
    ],
    // The documentation of passlib.
    [
      'scrypt',
      'password',
      '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    ],
    // The tests of crypt_blowfish.
    ['bcrypt', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['bcrypt', 'U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
    ['bcrypt', '', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
  ];
  for (const [kind, password, hashed] of vectors) {
    t.equal(await verifyPassword(hashed, password), true, `${kind} accepts its password`);
    t.equal(await verifyPassword(hashed, `${password}.`), false, `${kind} refuses another`);
    t.equal(needsRehash(hashed, password), true);
  }
});

t.test('bcrypt is recognised under the prefixes of several programs', async (t) => {
  const hashed = await bcryptHash('password', 4);
  for (const name of ['2a', '2b', '2y']) {
    const renamed = hashed.replace(/^\$2.\$/, `$${name}$`);
    t.equal(await verifyPassword(renamed, 'password'), true);
    t.equal(hashCost(renamed), '$2b$04', 'and costs the same');
  }
  t.equal(
    await verifyPassword(hashed.replace(/^\$2.\$/, '$2x$'), 'password'),
    false,
    'but not by that of a bug',
  );
});

t.test('bcrypt reads 72 bytes, and unread bytes never become part of the password', async (t) => {
  const long = 'é'.repeat(36);
  const hashed = await bcryptHash(`${long} and more`, 4);
  t.equal(await verifyPassword(hashed, `${long} and more`), true, 'a long password goes on working');
  t.equal(await verifyPassword(hashed, `${long} and mroe`), true, 'as it does wherever bcrypt is used');
  t.equal(await verifyPassword(hashed, 'é'.repeat(35)), false);
  t.equal(needsRehash(hashed, `${long} and mroe`), false);
  t.equal(needsRehash(await bcryptHash(long, 4), long), true, '72 bytes are read to the end');
});

t.test('a zero byte does not give a bcrypt password a second spelling', async (t) => {
  const hashed = await bcryptHash('pass', 4);
  for (const spelling of ['pass\0pass', 'pass\0', 'pass\0word', '\0', '']) {
    t.equal(await verifyPassword(hashed, spelling), false);
  }
  t.equal(await verifyPassword(await bcryptHash('pass\0word', 4), 'pass\0word'), false);
});

t.test('a hash made elsewhere matches, and a weak one is marked for replacement', async (t) => {
  const weak = await hash('password', { memoryCost: 4096, timeCost: 3 });
  t.equal(await verifyPassword(weak, 'password'), true);
  t.equal(needsRehash(weak, 'password'), true);
  t.equal(needsRehash(await hash('password', { memoryCost: 19_456, timeCost: 1 }), 'password'), true);
  const strong = await hash('password', { memoryCost: 20_000, timeCost: 3 });
  t.equal(needsRehash(strong, 'password'), false, 'never made weaker');
});

t.test('damaged, unknown and too expensive hashes have no cost, and fail without any work', async (t) => {
  const digest = 'A'.repeat(43);
  const unreadable = [
    ...[
      '',
      'password',
      '!',
      '*',
      '$argon2id$',
      '$argon2id$v=19$m=19456,t=2,p=1$x',
      '$2b$10$abc',
      '$constructor$x',
    ],
    ...[`$argon2i$v=19$m=19456,t=2,p=1$${digest}$${digest}`, '$5$saltstring$x', '$1$salt$x', '{SSHA}x'],
    `$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$${digest}$`,
    // 4 GiB; 256 MiB eight times; no pass; less memory than its lanes need.
    `$argon2id$v=19$m=4194304,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$${digest}`,
    `$argon2id$v=19$m=262144,t=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$${digest}`,
    `$argon2id$v=19$m=19456,t=0,p=1$AAAAAAAAAAAAAAAAAAAAAA$${digest}`,
    `$argon2id$v=19$m=16,t=1,p=8$AAAAAAAAAAAAAAAAAAAAAA$${digest}`,
    `$2b$03$${'A'.repeat(53)}`,
    `$2b$17$${'A'.repeat(53)}`,
    `$2b$31$${'A'.repeat(53)}`,
    `$2b$10$${'!'.repeat(53)}`,
    // 512 MiB; 256 MiB eight times; N of 1; no block, no lane; N too large for its block; stray bits.
    ...[
      'ln=19,r=8,p=1',
      'ln=18,r=8,p=8',
      'ln=0,r=8,p=1',
      'ln=14,r=0,p=1',
      'ln=14,r=8,p=0',
      'ln=16,r=1,p=1',
    ].map((parameters) => `$scrypt$${parameters}$AAAA$${digest}`),
    `$scrypt$ln=14,r=8,p=1$AAAA$${'A'.repeat(42)}B`,
    `$scrypt$ln=99,r=999,p=999$AAAA$${digest}`,
  ];
  for (const text of unreadable) {
    t.equal(hashCost(text), undefined, text);
    t.equal(await verifyPassword(text, text), false);
  }
});

t.test('a dummy hash has the requested cost, matches no password, and can be verified', async (t) => {
  const costs = [
    CURRENT_COST,
    ...['$argon2id$v=19$m=4096,t=3,p=2', '$argon2id$m=4096,t=1,p=1'],
    ...['$2b$04', '$2b$06', '$scrypt$ln=12,r=8,p=1', '$scrypt$ln=10,r=4,p=3'],
  ];
  for (const cost of costs) {
    const dummy = makeDummyHash(cost);
    t.equal(hashCost(dummy), cost);
    t.equal(await verifyPassword(dummy, 'password'), false);
    t.not(makeDummyHash(cost), dummy);
  }
  t.throws(() => makeDummyHash('$5$'), RangeError);
});

function scryptHash(password: string, ln: number, r: number, p: number): string {
  const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  const salt = Buffer.from('a salt');
  const digest = scryptSync(password, salt, 32, { N: 2 ** ln, r, p });
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encode(salt)}$${encode(digest)}`;
}

// Hashes from other frameworks, with vectors from their documentation and programs.

/** The source, the password, the hash, and the expected cost. */
const VECTORS: readonly (readonly [string, string, string, string])[] = [
  // Spring Security's reference, "Password Storage Format".
  [
    'Spring, bcrypt',
    'password',
    '{bcrypt}$2a$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy.fqvM/BG',
    '$2b$10',
  ],
  [
    'Spring, PBKDF2',
    'password',
    '{pbkdf2}5d923b44a6d129f3ddf3e3c8d29412723dcbde72445e8ef6bf3b508fbf17fa4ed4d6b99ca763d8dc',
    '$pbkdf2-sha1$i=185000,l=32',
  ],
  [
    'Spring, scrypt',
    'password',
    '{scrypt}$e0801$8bWJaSu2IKSn9Z9kM+TPXfOc/9bdYSrN1oD9qfVThWEwdRTnO7re7Ei+fUZRJ68k9lTyuTeUp4of4g24hHnazw==$OAOec05+bXxvuu/1qZ6NUR+xQYvYv7BeL1QxwRpY5Pc=',
    '$scrypt$ln=14,r=8,p=1',
  ],
  // Made by django.contrib.auth.hashers of Django 3.2.
  [
    'Django, PBKDF2 with SHA-256',
    'lètmein',
    'pbkdf2_sha256$20000$seasalt$oBSd886ysm3AqYun62DOdin8YcfbU1z9cksZSuLP9r0=',
    '$pbkdf2-sha256$i=20000,l=32',
  ],
  [
    'Django, PBKDF2 with SHA-1',
    'lètmein',
    'pbkdf2_sha1$20000$seasalt$PW/H5xF0MPTAW7JTY/RAPV+r8mo=',
    '$pbkdf2-sha1$i=20000,l=20',
  ],
  [
    'Django, bcrypt of SHA-256',
    'lètmein',
    'bcrypt_sha256$$2b$05$dZWLVkEG3YwWZ.mDvZR3wOIstoXaggZhVkD6M4.TYxw0VBveIbcay',
    '$bcrypt-sha256$2b$05',
  ],
  [
    'Django, bcrypt',
    'lètmein',
    'bcrypt$$2b$05$J9ONEG8QbdPXR7HD3bAPTuzeLeDFnahWKkXh3W7NCr6c/s8607p.G',
    '$2b$05',
  ],
  // Made by Passlib 1.7.
  [
    'Passlib, PBKDF2 with SHA-256',
    'lètmein',
    '$pbkdf2-sha256$1000$MDEyMzQ1Njc4OWFiY2RlZg$2uZ5cBoC3j36rh3cB10ArEcvcDFo2DQUlVXwPM2ShVk',
    '$pbkdf2-sha256$i=1000,l=32',
  ],
  [
    'Passlib, PBKDF2 with SHA-512',
    'lètmein',
    '$pbkdf2-sha512$1000$MDEyMzQ1Njc4OWFiY2RlZg$ybJHpGrJWhs4LImjx0GRtSdR5xilwB3BnBveZB7Hc.0a5LUJEHbU53wtKP1vGk3Cf3S9Qk64owinPovOEXjxSw',
    '$pbkdf2-sha512$i=1000,l=64',
  ],
  [
    'Passlib, PBKDF2 with SHA-1',
    'lètmein',
    '$pbkdf2$1000$MDEyMzQ1Njc4OWFiY2RlZg$fAVyzQNNkMB93BxqSKITIbIy1MI',
    '$pbkdf2-sha1$i=1000,l=20',
  ],
  [
    'Keycloak, its two fields in one text',
    'lètmein',
    '$pbkdf2-sha256$i=1000$MDEyMzQ1Njc4OWFiY2RlZg==$2uZ5cBoC3j36rh3cB10ArEcvcDFo2DQUlVXwPM2ShVk=',
    '$pbkdf2-sha256$i=1000,l=32',
  ],
  // Made by Werkzeug 2.2.
  [
    'Werkzeug, PBKDF2',
    'lètmein',
    'pbkdf2:sha256:1000$Lmf7MkjWMpCkFz9L$d8c67db4a22812c2dccbe08444527164247c3ac49962b552cf98b12e9dd21f28',
    '$pbkdf2-sha256$i=1000,l=32',
  ],
  // Published as test vectors of a JavaScript reader for this format.
  [
    'ASP.NET Identity, version 2',
    '!passwordSecure123ASPV2',
    'AFcg3t2gm81Guu+i08t6u4Hm00M1COvYfXvX8jwHMIBxS0sVsj6UHkk2qww8l4x/QA==',
    '$pbkdf2-sha1$i=1000,l=32',
  ],
  [
    'ASP.NET Identity, version 3',
    '!passwordSecure123ASPV3',
    'AQAAAAEAACcQAAAAEHheUovUgwiWJ7YO0aLoq2/TvJYEdPiBlNJplaMUaQKQPSu7SHMgf0zsEnhCVijJ0w==',
    '$pbkdf2-sha256$i=10000,l=32',
  ],
  // The README of github.com/firebase/scrypt.
  [
    'Firebase',
    'user1password',
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    '$fbscrypt$v=1,n=14,r=8,p=1',
  ],
];

t.test('hashes from other frameworks match and are marked for replacement', async (t) => {
  for (const [name, password, hash, cost] of VECTORS) {
    t.equal(hashCost(hash), cost, name);
    t.equal(await verifyPassword(hash, password), true, name);
    for (const other of [`${password}x`, `${password}\0`, password.slice(1), '']) {
      t.equal(await verifyPassword(hash, other), false, `${name}: ${other.length}`);
    }
    t.equal(needsRehash(hash, password), true, name);
  }
});

t.test('a dummy with the same cost replaces each hash and matches nothing', async (t) => {
  for (const cost of new Set(VECTORS.map(([, , , cost]) => cost))) {
    const dummy = makeDummyHash(cost);
    t.equal(hashCost(dummy), cost);
    t.equal(await verifyPassword(dummy, 'password'), false, cost);
  }
});

t.test('a damaged or too expensive hash is not a hash', async (t) => {
  for (const text of [
    'pbkdf2_sha256$2000001$seasalt$oBSd886ysm3AqYun62DOdin8YcfbU1z9cksZSuLP9r0=',
    'pbkdf2_sha256$0$seasalt$oBSd886ysm3AqYun62DOdin8YcfbU1z9cksZSuLP9r0=',
    'pbkdf2_md5$20000$seasalt$oBSd886ysm3AqYun62DOdin8YcfbU1z9cksZSuLP9r0=',
    // Two blocks of a million iterations and one.
    `$pbkdf2-sha1$1000001$MDEyMzQ1Njc4OWFiY2RlZg$${'A'.repeat(43)}`,
    'scrypt$seasalt$262144$8$2$oBSd886ysm3AqYun62DOdin8YcfbU1z9cksZSuLP9r0=',
    'scrypt$seasalt$16383$8$1$oBSd886ysm3AqYun62DOdin8YcfbU1z9cksZSuLP9r0=',
    '{noop}password',
    '{bcrypt}password',
    '{pbkdf2}5d92',
    'AQAAAAEAACcQAAAA/w==',
    'AQAAAAkAACcQAAAAEHheUovUgwiWJ7YO0aLoq2/TvJYEdPiBlNJplaMUaQKQPSu7SHMgf0zsEnhCVijJ0w==',
    '$fbscrypt$v=1,n=20,r=8,p=1,ss=Bw==,sk=AAAA$AAAA$AAAA',
    '$wp$2y$15$abc',
    'md5$x$y',
  ]) {
    t.equal(hashCost(text), undefined, text);
    t.equal(await verifyPassword(text, 'password'), false, text);
  }
});
