// Issuing and opening a token with claims that others can neither read nor change.
import { randomBytes, webcrypto } from 'node:crypto';
import { openTokens } from '../open-tokens.js';
import type { Open } from '../opened.js';
import type { Report } from '../report/report.js';
import { openFastJwt } from './fast-jwt.js';
import type { LoadPeer } from './packages.js';
import { compareSides } from './side-by-side.js';

const CALLS = 1_000;
const ROUNDS = 30;
const LIFETIME_SECONDS = 900;

/** A pair of functions; a token is opened at most once, so that no cache is used. */
interface Way {
  readonly name: string;
  /** Others can read its claims. */
  readonly isLess?: boolean;
  readonly issue: (claims: object) => string | Promise<string>;
  readonly open: (token: string) => unknown;
}

const claimsOf = (at: number) => ({
  id: 123_456,
  email: 'somebody@example.com',
  sid: 'A'.repeat(22),
  gen: at,
});

export async function compareTokens(report: Report, open: Open, load: LoadPeer): Promise<void> {
  const ways = [await ours(open), ...(await joseWays(load)), ...(await fastJwtWays(load)), await iron(load)];
  for (const way of ways) await check(way);
  const measured = async (call: (at: number) => unknown) => {
    const before = process.cpuUsage();
    for (let at = 0; at < CALLS; at++) await call(at);
    const { user, system } = process.cpuUsage(before);
    return { processor: (user + system) / CALLS };
  };
  const issuing = ways.map(({ issue, ...way }) => ({
    ...way,
    measure: () => measured((at) => issue(claimsOf(at + 1))),
  }));
  const opening = ways.map((way) => ({
    ...way,
    async measure() {
      const issued: string[] = [];
      for (let at = 0; at < CALLS; at++) issued.push(await way.issue(claimsOf(at + 1)));
      return measured((at) => way.open(issued[at]!));
    },
  }));
  const settings = { rounds: ROUNDS, goals: { best: 1 } };
  await compareSides(report, 'issuing a token', issuing, settings);
  await compareSides(report, 'opening a token', opening, settings);
}

/** @throws Error unless a token opens, and is rejected with one letter changed */
async function check({ name, issue, open }: Way): Promise<void> {
  const token = await issue(claimsOf(1));
  if ((await open(token)) === undefined) throw new Error(`${name} did not open its own token`);
  const at = Math.floor(token.length / 2);
  const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
  const opened = await Promise.resolve(changed)
    .then(open)
    .catch(() => undefined);
  if (opened !== undefined) throw new Error(`${name} opened a changed token`);
}

async function ours(open: Open): Promise<Way> {
  const { access } = await openTokens(open);
  return {
    name: 'Tollgate',
    issue(claims) {
      const iat = Math.floor(Date.now() / 1000);
      return access.issue({ ...(claims as ReturnType<typeof claimsOf>), iat, exp: iat + LIFETIME_SECONDS });
    },
    open(token) {
      const reading = access.read(token);
      return reading.ok ? reading.claims : undefined;
    },
  };
}

interface Jose {
  EncryptJWT: new (claims: object) => JoseBuilder<{ encrypt(key: unknown): Promise<string> }>;
  SignJWT: new (claims: object) => JoseBuilder<{ sign(key: unknown): Promise<string> }>;
  CompactEncrypt: new (
    bytes: Uint8Array,
  ) => { setProtectedHeader(header: object): { encrypt(key: unknown): Promise<string> } };
  compactDecrypt(token: string, key: unknown): Promise<{ plaintext: Uint8Array }>;
  jwtDecrypt(token: string, key: unknown): Promise<{ payload: unknown }>;
  jwtVerify(token: string, key: unknown): Promise<{ payload: unknown }>;
}
type JoseBuilder<End> = {
  [Step in 'setProtectedHeader' | 'setIssuedAt' | 'setExpirationTime']: (value?: unknown) => JoseBuilder<End>;
} & End;

async function joseWays(load: LoadPeer): Promise<Way[]> {
  const jose = await load<Jose>('jose');
  const { subtle } = webcrypto;
  const secret = randomBytes(32);
  const encryption = await subtle.importKey('raw', secret, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const signing = await subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
  const [encrypted, signed] = [{ alg: 'dir', enc: 'A256GCM' }, { alg: 'HS256' }];
  return [
    {
      name: 'jose, encrypted',
      issue: (claims) =>
        new jose.EncryptJWT(claims)
          .setProtectedHeader(encrypted)
          .setIssuedAt()
          .setExpirationTime('15m')
          .encrypt(encryption),
      open: async (token) => (await jose.jwtDecrypt(token, encryption)).payload,
    },
    {
      name: 'jose, signed and encrypted',
      async issue(claims) {
        const token = new jose.SignJWT(claims).setProtectedHeader(signed).setIssuedAt();
        const bytes = new TextEncoder().encode(await token.setExpirationTime('15m').sign(signing));
        return new jose.CompactEncrypt(bytes).setProtectedHeader(encrypted).encrypt(encryption);
      },
      async open(token) {
        const { plaintext } = await jose.compactDecrypt(token, encryption);
        return (await jose.jwtVerify(new TextDecoder().decode(plaintext), signing)).payload;
      },
    },
  ];
}

async function fastJwtWays(load: LoadPeer): Promise<Way[]> {
  const { signed, sealed } = await openFastJwt(load, LIFETIME_SECONDS);
  return [
    { name: 'fast-jwt, signed only', isLess: true, ...signed },
    { name: 'fast-jwt inside AES-256-GCM', ...sealed },
  ];
}

interface Iron {
  sealData(data: object, options: object): Promise<string>;
  unsealData(seal: string, options: object): Promise<object>;
}

async function iron(load: LoadPeer): Promise<Way> {
  const { sealData, unsealData } = await load<Iron>('iron-session');
  const options = { password: randomBytes(32).toString('hex'), ttl: LIFETIME_SECONDS };
  return {
    name: 'iron-session',
    issue: (claims) => sealData(claims, options),
    async open(token) {
      const claims = await unsealData(token, options);
      // For a rejected seal it returns an empty object.
      return Object.keys(claims).length > 0 ? claims : undefined;
    },
  };
}
