// Hashes from other frameworks, with vectors from their documentation and programs.

import t from 'tap';
import { hashCost, makeDummyHash, needsRehash, verifyPassword } from '../../src/passwords/password-hash.js';

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
