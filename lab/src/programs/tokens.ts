// Issuing and reading an access token, compared with the cryptography alone.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { openTokens } from '../open-tokens.js';
import type { Open } from '../opened.js';
import type { Program } from '../program.js';
import { ratios } from '../rounds.js';

const ROUNDS = 60;
const CALLS = 2_000;
const BOUNDS = { issue: 1.8, read: 1.45, 'read again': 1.1 };
/** The signature takes most of the time, so the rest must be small. */
const PUBLIC_BOUNDS = { issue: 1.8, read: 1.45, 'read again': 1.1 };
const ALGORITHMS = ['ES256', 'EdDSA'] as const;
/** A signature takes ten times as long as a seal. */
const PUBLIC_CALLS = 200;
const PUBLIC_ROUNDS = 12;
const NOW_SECONDS = Math.floor(Date.now() / 1000);
const CLAIMS = {
  id: 123_456,
  email: 'somebody@example.com',
  sid: 'A'.repeat(22),
  gen: 7,
  iat: NOW_SECONDS,
  exp: NOW_SECONDS + 900,
};

const program: Program = {
  title: 'access tokens of each format: time relative to the bare cryptography and to the encodings alone',
  async run(_args, report, open) {
    const { access } = await openTokens(open);
    const issued = Array.from({ length: CALLS }, (_, at) => access.issue({ ...CLAIMS, gen: at + 1 }));
    const bareIssued = Array.from({ length: CALLS }, bareIssue);
    const known = access.issue(CLAIMS);
    const ways: Record<string, (at: number) => unknown> = {
      'bare issue': () => bareIssue(),
      issue: () => access.issue(CLAIMS),
      'bare read': (at: number) => bareRead(bareIssued[at]!),
      read: (at: number) => access.read(issued[at]!),
      'read again': () => access.read(known),
    };
    const isPublic = (name: string) => ALGORITHMS.some((algorithm) => name.endsWith(algorithm));
    for (const algorithm of ALGORITHMS) Object.assign(ways, await publicWays(open, algorithm));
    const micros = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, call] of Object.entries(ways)) {
        const calls = isPublic(name) ? PUBLIC_CALLS : CALLS;
        const startedMs = performance.now();
        const from = isPublic(name) ? (round % PUBLIC_ROUNDS) * calls : 0;
        for (let at = from; at < from + calls; at++) call(at);
        // The first round compiles.
        if (round > 0) micros[name]!.push(((performance.now() - startedMs) * 1000) / calls);
      }
    }
    for (const [name, samples] of Object.entries(micros)) report.row(name, { µs: samples });
    const compare = (name: keyof typeof BOUNDS, bare: string, of = '') => {
      const times = ratios(micros[`${name}${of}`]!, micros[`${bare}${of}`]!);
      const atMost = (of === '' ? BOUNDS : PUBLIC_BOUNDS)[name];
      report.verdict(`${name}${of}, times ${bare}${of}`, times, { atMost });
    };
    for (const of of ['', ...ALGORITHMS.map((algorithm) => `, ${algorithm}`)]) {
      compare('issue', 'bare issue', of);
      compare('read', 'bare read', of);
      compare('read again', 'bare read', of);
    }
  },
};
export default program;

/** Tokens that are signed with a private key. */
async function publicWays(open: Open, algorithm: (typeof ALGORITHMS)[number]) {
  const { access } = await openTokens(open, algorithm);
  const { privateKey, publicKey } =
    algorithm === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [hash, dsaEncoding] = [algorithm === 'EdDSA' ? null : 'sha256', 'ieee-p1363'] as const;
  const bareSign = () => {
    const text = `${encode({ alg: algorithm, typ: 'at+jwt' })}.${encode(CLAIMS)}`;
    return `${text}.${sign(hash, Buffer.from(text), { key: privateKey, dsaEncoding }).toString('base64url')}`;
  };
  const bareVerify = (token: string): unknown => {
    const at = token.lastIndexOf('.');
    const signature = Buffer.from(token.slice(at + 1), 'base64url');
    const isRight = verify(hash, Buffer.from(token.slice(0, at)), { key: publicKey, dsaEncoding }, signature);
    if (!isRight) throw new Error('a signature of this program is wrong');
    return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  };
  // More than the cache of verified tokens holds, so that each is verified.
  const issued = Array.from({ length: PUBLIC_CALLS * PUBLIC_ROUNDS }, () => access.issue(CLAIMS));
  const [known, bareKnown] = [access.issue(CLAIMS), bareSign()];
  return {
    [`bare issue, ${algorithm}`]: bareSign,
    [`issue, ${algorithm}`]: () => access.issue(CLAIMS),
    [`bare read, ${algorithm}`]: () => bareVerify(bareKnown),
    [`read, ${algorithm}`]: (at: number) => access.read(issued[at]!),
    [`read again, ${algorithm}`]: () => access.read(known),
  };
}

const secret = createSecretKey(randomBytes(32));
const key = createSecretKey(randomBytes(32));

function bareIssue(): string {
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(CLAIMS)}`;
  const signed = `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([nonce, cipher.update(signed, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return encodeURIComponent(sealed.toString('base64'));
}

function bareRead(token: string): unknown {
  const bytes = Buffer.from(decodeURIComponent(token), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  const signed = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString(
    'latin1',
  );
  const [head, claims, signature] = signed.split('.');
  const wanted = createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url');
  if (wanted !== signature) throw new Error('a signature of this program is wrong');
  return JSON.parse(Buffer.from(claims!, 'base64url').toString());
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
