// Third-party JWT libraries verify access tokens in the format `public` with only the published keys.

import { spawn } from 'node:child_process';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createSigningKey } from '@tollgate/shared/crypto';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import { createVerifier } from 'fast-jwt';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import { logIn, PUBLIC_URL, startNode, userDirectory } from './support/session-node.js';

const AUDIENCE = 'https://api.example.com';
const python =
  process.env.PYJWT ?? (existsSync('/usr/lib/python3/dist-packages/jwt') ? '/usr/bin/python3' : '');

/** Tokens from a listening service. */
interface Issued {
  /** The key set URL. */
  readonly url: string;
  readonly valid: string;
  /** Tokens to reject, by their error. */
  readonly wrong: Readonly<Record<string, string>>;
}

const ALGORITHMS = ['ES256', 'EdDSA'] as const;
type Algorithm = (typeof ALGORITHMS)[number];

async function issue(t: Test, algorithm: Algorithm): Promise<Issued> {
  const { store } = embeddedStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const start = (keys: string, env = {}) =>
    startNode(t, {
      store,
      directory,
      env: {
        ACCESS_TOKEN_FORMAT: 'public',
        ACCESS_TOKEN_AUDIENCE: AUDIENCE,
        RATE_LIMIT_SESSION: '1000',
        ACCESS_SIGNING_KEYS: keys,
        ...env,
      },
    });
  const key = createSigningKey(algorithm);
  // Published before its first use: the set has two keys.
  const node = await start(`${key},${createSigningKey('EdDSA')}`);
  await node.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = node.app.server.address() as AddressInfo;
  const tokenOf = async (keys: string, env = {}) =>
    (await logIn(await start(keys, env), 'ann@example.com')).accessToken;
  const valid = (await logIn(node, 'ann@example.com')).accessToken;
  const reading = node.app.tokens.access.read(valid);
  if (!reading.ok) throw new Error('the token of a login is right');
  const [head, , signature] = valid.split('.');
  const changed = Buffer.from(
    JSON.stringify({ ...reading.claims, iss: PUBLIC_URL, aud: AUDIENCE, sub: '2', jti: 'x' }),
  );
  return {
    url: `http://127.0.0.1:${port}/.well-known/jwks.json`,
    valid,
    wrong: {
      expired: node.app.tokens.access.issue({ ...reading.claims, exp: reading.claims.iat - 100 }),
      'of another issuer': await tokenOf(key, { ACCESS_TOKEN_ISSUER: 'https://other.example' }),
      'for another audience': await tokenOf(key, { ACCESS_TOKEN_AUDIENCE: 'https://other.example' }),
      'under a foreign key': await tokenOf(createSigningKey(algorithm)),
      changed: `${head}.${changed.toString('base64url')}.${signature}`,
    },
  };
}

/** Returns the user named by a token; throws if it is rejected. */
type Verify = (token: string) => Promise<unknown>;

async function testLibrary(t: Test, algorithm: Algorithm, open: (url: string) => Verify): Promise<void> {
  const { url, valid, wrong } = await issue(t, algorithm);
  const verify = open(url);
  t.equal(await verify(valid), '1');
  for (const [name, token] of Object.entries(wrong)) await t.rejects(verify(token), name);
}

for (const algorithm of ALGORITHMS) {
  t.test(`jose verifies ${algorithm} with the key set URL`, (t) =>
    testLibrary(t, algorithm, (url) => {
      const keys = createRemoteJWKSet(new URL(url));
      const options = { issuer: PUBLIC_URL, audience: AUDIENCE, typ: 'at+jwt', algorithms: [algorithm] };
      return async (token) => (await jwtVerify(token, keys, options)).payload.sub;
    }),
  );

  t.test(`fast-jwt verifies ${algorithm} with a key from the set`, (t) =>
    testLibrary(t, algorithm, (url) => {
      const findKey = async ({ header }: { header: { kid?: string } }) => {
        const { keys } = (await (await fetch(url)).json()) as { keys: (JsonWebKey & { kid: string })[] };
        const key = keys.find(({ kid }) => kid === header.kid);
        if (key === undefined) throw new Error('there is no such key');
        return createPublicKey({ format: 'jwk', key }).export({ type: 'spki', format: 'pem' }) as string;
      };
      const options = {
        allowedIss: PUBLIC_URL,
        allowedAud: AUDIENCE,
        checkTyp: 'at+jwt',
        algorithms: [algorithm],
      };
      const verify = createVerifier({ key: findKey, ...options });
      return async (token) => (await verify(token)).sub;
    }),
  );

  const skip = python === '' && 'there is no PyJWT: install python3-jwt and python3-cryptography';
  t.test(`PyJWT verifies ${algorithm} as documented`, { skip }, async (t) => {
    const { url, valid, wrong } = await issue(t, algorithm);
    const names = { url, issuer: PUBLIC_URL, audience: AUDIENCE };
    const child = spawn(python, ['-c', programOf(algorithm), JSON.stringify(names)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end([valid, ...Object.values(wrong)].join('\n'));
    const lines = child.stdout.setEncoding('utf8').toArray();
    const [code] = await once(child, 'close');
    t.equal(code, 0);
    t.strictSame(JSON.parse((await lines).join('')), [
      ...['1', 'ExpiredSignatureError', 'InvalidIssuerError', 'InvalidAudienceError'],
      ...['PyJWKClientError', 'InvalidSignatureError'],
    ]);
  });
}

/** The documented sample, in a program that prints the user or the error name for each input token. */
function programOf(algorithm: Algorithm): string {
  const text = readFileSync(new URL('../../../../docs/sessions/public-tokens.md', import.meta.url), 'utf8');
  const sample = /```python\n(import jwt\n.*?)```/s.exec(text)?.[1];
  if (sample === undefined) throw new Error('docs/sessions/public-tokens.md has no sample of PyJWT');
  return `${sample.replace('["ES256"]', `["${algorithm}"]`)}
import json, sys
names = json.loads(sys.argv[1])
ISSUER, AUDIENCE = names["issuer"], names["audience"]
jwks_client = jwt.PyJWKClient(names["url"])

def verify(token):
    try:
        return read_token(token)["sub"]
    except jwt.PyJWTError as error:
        return type(error).__name__

print(json.dumps([verify(token) for token in sys.stdin.read().split()]))
`;
}
