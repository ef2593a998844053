// Redeems the work of a page for a receipt of its site.

import {
  addressPseudonym,
  type ChallengeStore,
  type ChallengeType,
  createImageVerifier,
  createWorkJudge,
  type FailedVerdict,
  type FieldNames,
  failed,
  imageMissing,
  imageProblems,
  MAX_ANSWER_CHARACTERS,
  makeToken,
  malformed,
  normaliseAddress,
  offersImage,
  powProblems,
  type Submission,
  submissionFrom,
  verifiedTypes,
} from '@tollgate/shared/challenges';
import { type KeyRing, randomHex } from '@tollgate/shared/crypto';
import { openAlgorithms } from '@tollgate/shared/pow';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import { makeReceipt } from './receipt.js';
import { encodeReceiptTail } from './receipt-record.js';
import type { Site } from './site.js';
import type { RedeemBody } from './site-bodies.js';

/** The names of the challenge fields, which are fixed here: no form of the operator has them. */
const REDEEM_FIELDS: FieldNames = {
  pow: { token: 'pow_token', nonce: 'pow_nonce' },
  image: { token: 'captcha_token', answer: 'captcha' },
};

/** Characters of a token that choose its slot. */
const TAG_CHARACTERS = 2;

/** The dependencies of a redeemer. */
interface RedeemerDependencies {
  /** The challenges of the site. */
  readonly store: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** The operator's challenge types. */
  readonly kinds: readonly ChallengeType[];
  readonly random: (size: number) => Uint8Array;
}

/** The redeeming page: its host name, and its visitor's address as Fastify reports it. */
export interface RedeemingPage {
  readonly hostname: string;
  readonly ip: string;
}

/** A receipt with the algorithm of its work, or the verdict on wrong work. */
export type Redeemed =
  | {
      readonly ok: true;
      readonly receipt: string;
      readonly expiresAtMs: number;
      readonly algorithm: string;
    }
  | (FailedVerdict & { readonly isReplay: boolean });

/** Redeems the work of a body. Throws StoreUnavailableError. */
export type Redeemer = (body: RedeemBody, page: RedeemingPage) => Promise<Redeemed>;

/**
 * Creates the redeemer of a site. One step of the store takes the work and records the receipt. If the site requires an
 * image, another step takes it, after valid work. The receipt of wrong work, or of a wrong image, is removed.
 */
export function createRedeemer(site: Site, deps: RedeemerDependencies): Redeemer {
  const { store, ring, options, random } = deps;
  const accepted = openAlgorithms(options.pow.algorithms);
  const types = verifiedTypes(deps.kinds);
  const longest = Math.max(
    MAX_ANSWER_CHARACTERS,
    ...[...types.values()].map((kind) => kind.maxAnswerCharacters),
  );
  const hasImage = site.image === 'always';
  const isAccount = () => () => false;
  const judgeWork = createWorkJudge({
    ring,
    bindIp: options.bind_ip,
    field: REDEEM_FIELDS.pow.nonce,
    isAccount,
  });
  const verifyImage = createImageVerifier({
    store,
    ring,
    options,
    fieldNames: REDEEM_FIELDS,
    types,
    isAccount,
  });

  function checkShape(submission: Submission): FailedVerdict | null {
    const work = powProblems(submission, REDEEM_FIELDS, accepted);
    if (work === null && hasImage && !offersImage(submission)) return imageMissing(REDEEM_FIELDS);
    return malformed(work, hasImage ? imageProblems(submission, REDEEM_FIELDS, longest) : null);
  }

  return async (body, { hostname, ip }) => {
    const submission = submissionFrom(body, REDEEM_FIELDS);
    let isReplay = false;
    const onConsumed = () => {
      isReplay = true;
    };
    const shape = checkShape(submission);
    if (shape !== null) return { ...shape, isReplay };
    const powToken = submission.powToken as string;
    const token = makeToken(powToken.slice(0, TAG_CHARACTERS), random);
    const claim = randomHex(16, random);
    const address = normaliseAddress(ip);
    const taken = await store.redeem({
      powToken,
      claim,
      receiptToken: token,
      receiptTail: encodeReceiptTail({
        keyId: ring.current.id,
        address: address === null ? null : addressPseudonym(ring.current, address),
        api: body.api === undefined || body.api === '' ? null : body.api,
        hostname,
        action: body.action ?? '',
        cdata: body.cdata ?? '',
      }),
      receiptSeconds: site.receipt_seconds,
      onConsumed,
    });
    if (taken === null) {
      return { ...failed('pow_invalid', REDEEM_FIELDS.pow.nonce, 'wrong_work', 'unknown'), isReplay };
    }
    const context = { pow: true, image: 'required', ip } as const;
    const judged = judgeWork(taken, submission, context);
    if (!judged.ok) {
      await store.removeReceipt(token);
      return { ...judged, isReplay };
    }
    const { algorithm } = judged.work;
    if (hasImage) {
      const image = await verifyImage(submission, context, { claim, failures: 0, onReplay: onConsumed });
      if (!image.ok) {
        await store.removeReceipt(token);
        return { ...image, algorithm, isReplay };
      }
    }
    const expiresAtMs = taken.takenAtMs + site.receipt_seconds * 1000;
    return { ok: true, receipt: makeReceipt(ring, site.key, { token, expiresAtMs }), expiresAtMs, algorithm };
  };
}
