// Decides what a request may do with a session that may be bound to a key: the rule of device binding.

import type { SessionRecord } from '../session-record.js';
import { type BindingKey, bindingAttributes, bindingOf, confirmedAttributes } from './session-binding.js';

/** `REFRESH_BINDING`: `off` ignores bindings, `offer` binds those who can, `require` refuses the others. */
export type BindingPolicy = 'off' | 'offer' | 'require';

/** What a refresh presents besides its token; everything in it is verified. */
export interface PresentedBinding {
  readonly policy: BindingPolicy;
  /** The key of a proof. */
  readonly proof?: BindingKey | undefined;
  /** Whether that proof has the nonce of the sign-in: no other proof binds a session. */
  readonly isFirst?: boolean;
  /** Thumbprint in the bound cookie of this session. */
  readonly cookie?: string | undefined;
}

/**
 * What the binding says to a refresh: go on, first bind the session, first confirm the registration of its browser, refuse
 * it, or end it as stolen.
 */
export type BindingVerdict = 'pass' | 'bind' | 'confirm' | 'binding_required' | 'binding_failed';

/** After a registration, how long what sufficed before suffices in any case: requests without its cookie may be on the way. */
export const REGISTRATION_GRACE_MS = 10_000;

/** The presented binding where nothing is asked for. */
export const UNASKED: PresentedBinding = { policy: 'off' };

/** Decides a refresh before its generation is looked at. `lua/session_rotate.lua` is the same rule for Redis. */
export function decideBinding(
  { attributes }: Pick<SessionRecord, 'attributes'>,
  { policy, proof, isFirst = false, cookie }: PresentedBinding,
  nowMs: number,
): BindingVerdict {
  if (policy === 'off') return 'pass';
  const binding = bindingOf(attributes);
  const mayBind = proof !== undefined && isFirst;
  if (binding === undefined) {
    // A session that stays unbound keeps its reuse detection: a thief who bound it would hide behind the key.
    if (mayBind) return 'bind';
    return policy === 'require' ? 'binding_required' : 'pass';
  }
  if (binding.kind === 'key') {
    if (proof === undefined) return 'binding_required';
    return proof.thumbprint === binding.thumbprint ? 'pass' : 'binding_failed';
  }
  const { before, isPending = false } = binding;
  if (cookie === binding.thumbprint) return isPending ? 'confirm' : 'pass';
  if (!isPending && Math.abs(nowMs - binding.boundAtMs) >= REGISTRATION_GRACE_MS) return 'binding_required';
  if (before !== undefined) return proof?.thumbprint === before ? 'pass' : 'binding_required';
  if (mayBind) return 'bind';
  return policy === 'require' ? 'binding_required' : 'pass';
}

/** The record after a verdict that lets a refresh go on. */
export function bindRecord(
  record: SessionRecord,
  verdict: BindingVerdict,
  { proof }: PresentedBinding,
  nowMs: number,
): SessionRecord {
  if (verdict === 'confirm') return { ...record, attributes: confirmedAttributes(record.attributes) };
  return verdict === 'bind' && proof !== undefined ? bindToProof(record, proof, nowMs) : record;
}

/** The record bound to a key that a proof showed; beside the registration of a browser it is the key before. */
export function bindToProof(record: SessionRecord, key: BindingKey, nowMs: number): SessionRecord {
  const registered = bindingOf(record.attributes);
  const binding =
    registered === undefined
      ? ({ kind: 'key', ...key, boundAtMs: nowMs } as const)
      : { ...registered, before: key.thumbprint };
  return { ...record, attributes: { ...record.attributes, ...bindingAttributes(binding) } };
}

/**
 * The registration of a browser's key: `bound` with the next record, `known` if the session has this key already,
 * `conflict` if it has another one, `revoked` without a session, or `expired`.
 */
export type Registration =
  | { readonly outcome: 'bound'; readonly next: SessionRecord }
  | { readonly outcome: 'known' | 'conflict' | 'revoked' | 'expired' };

/** Decides a registration. Never changes when the session was last used. `lua/session_bind.lua` is the same rule. */
export function decideRegistration(
  record: SessionRecord | undefined,
  key: BindingKey,
  nowMs: number,
): Registration {
  if (record === undefined) return { outcome: 'revoked' };
  if (record.expiresAtMs <= nowMs) return { outcome: 'expired' };
  const binding = bindingOf(record.attributes);
  if (binding?.kind === 'dbsc')
    return { outcome: binding.thumbprint === key.thumbprint ? 'known' : 'conflict' };
  const bound = bindingAttributes({
    kind: 'dbsc',
    ...{ thumbprint: key.thumbprint, compact: key.compact, boundAtMs: nowMs },
    before: binding?.thumbprint,
    isPending: true,
  });
  const next = { ...record, attributes: { ...record.attributes, ...bound } };
  return { outcome: 'bound', next };
}
