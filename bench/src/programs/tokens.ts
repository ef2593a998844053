// Issuing and reading an access token, compared with the cryptography that they need.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { openTokens } from '../open-tokens.js';
import type { Program } from '../program.js';
import { ratios } from '../rounds.js';

const ROUNDS = 60;
const CALLS = 2_000;
const BOUNDS = { issue: 1.8, read: 1.45, 'read again': 1.1 };
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
  title: 'an access token compared with HMAC-SHA256, AES-256-GCM and the encodings alone: ratios of time',
  async run(_args, report, open) {
    const { access } = await openTokens(open);
    const issued = Array.from({ length: CALLS }, (_, at) => access.issue({ ...CLAIMS, gen: at + 1 }));
    const bareIssued = Array.from({ length: CALLS }, bareIssue);
    const known = access.issue(CLAIMS);
    const ways = {
      'bare issue': () => bareIssue(),
      issue: () => access.issue(CLAIMS),
      'bare read': (at: number) => bareRead(bareIssued[at]!),
      read: (at: number) => access.read(issued[at]!),
      'read again': () => access.read(known),
    };
    const micros = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, call] of Object.entries(ways)) {
        const startedMs = performance.now();
        for (let at = 0; at < CALLS; at++) call(at);
        // The first round compiles.
        if (round > 0) micros[name]!.push(((performance.now() - startedMs) * 1000) / CALLS);
      }
    }
    for (const [name, samples] of Object.entries(micros)) report.row(name, { µs: samples });
    const compare = (name: 'issue' | 'read' | 'read again', bare: string) => {
      const times = ratios(micros[name]!, micros[bare]!);
      report.verdict(`${name}, times ${bare}`, times, { atMost: BOUNDS[name] });
    };
    compare('issue', 'bare issue');
    compare('read', 'bare read');
    compare('read again', 'bare read');
  },
};
export default program;

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
