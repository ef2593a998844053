// Prepares receipts of a site, so that a program measures only their verification.
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { makeReceipt } from '@tollgate/challenge-service/extensions/drop-in/receipt.js';
import { encodeReceiptTail } from '@tollgate/challenge-service/extensions/drop-in/receipt-record.js';
import { type ChallengeStore, encodePowTail, makeToken } from '@tollgate/shared/challenges';
import { type KeyRing, openKeyRing, randomAlphanumerics } from '@tollgate/shared/crypto';
import { openChallengeStore, openStore } from '@tollgate/shared/store';
import { type BodySupply, openSupply } from '../solved-work.js';
import { untilAnswered } from '../until-answered.js';

const SITE = 'bench';
const SITE_SECRET = 'the-secret-of-the-site-of-this-benchmark-00';

/** The challenge service's variables with this site, and a limit above any load. */
export const SITE_ENVIRONMENT = {
  SITES: JSON.stringify({ [SITE]: { secret_sha256: hash('sha256', SITE_SECRET), hostnames: ['*'] } }),
  RATE_LIMIT_SITEVERIFY: '10000000',
};

const AT_ONCE = 50;
const RECEIPT_SECONDS = 3600;
const LIMIT = { max: 1e9, windowMs: 60_000 };
const TERMS = { floor: 1, ceiling: 1, failureStep: 0, volumeStep: 0, volumeEvery: 1 };

/** Opens a supply of forms, each with a new receipt. @param secret `CHALLENGE_SECRET` of the service */
export function openReceipts(storeUrl: string, secret: string): BodySupply {
  const ring = openKeyRing(secret);
  return openSupply(async (count) => {
    const store = openStore(storeUrl, '.');
    if (store.kind === 'redis') await once(store.client, 'ready');
    const challenges = openChallengeStore(store, 'captcha', SITE);
    const forms: string[] = [];
    while (forms.length < count) {
      const batch = Array.from({ length: Math.min(AT_ONCE, count - forms.length) }, () =>
        untilAnswered(() => prepareForm(challenges, ring)),
      );
      forms.push(...(await Promise.all(batch)));
    }
    await store.close();
    return forms;
  });
}

/** Issues and redeems work directly on the store. Nothing solves it, because the store verifies nothing. */
async function prepareForm(challenges: ChallengeStore, ring: KeyRing): Promise<string> {
  const keyId = ring.current.id;
  const address = randomBytes(16).toString('hex');
  const powToken = makeToken(randomAlphanumerics(2));
  const receiptToken = makeToken(powToken.slice(0, 2));
  await challenges.issuePow({
    token: powToken,
    address,
    limit: LIMIT,
    terms: TERMS,
    failures: 0,
    volumeMs: LIMIT.windowMs,
    recordTail: encodePowTail({
      floor: 1,
      algorithm: 'sha256',
      keyId,
      salt: '0'.repeat(32),
      address: null,
      scope: null,
    }),
    expireSeconds: RECEIPT_SECONDS,
    expireGrows: false,
  });
  const taken = await challenges.redeem({
    powToken,
    claim: receiptToken,
    receiptToken,
    receiptTail: encodeReceiptTail({
      keyId,
      address,
      api: 'turnstile',
      hostname: 'bench.example',
      action: 'sign-in',
      cdata: '',
    }),
    receiptSeconds: RECEIPT_SECONDS,
  });
  const expiresAtMs = (taken?.takenAtMs ?? 0) + RECEIPT_SECONDS * 1000;
  const response = makeReceipt(ring, SITE, { token: receiptToken, expiresAtMs });
  return String(new URLSearchParams({ secret: SITE_SECRET, response, remoteip: '198.51.100.7' }));
}
