// The binding of a session to a key of its device, and what a refresh has to show of it.

import { type DeviceKey, parseDeviceKey } from '@tollgate/shared/crypto';
import type { SessionAttributes, SessionRecord } from '../session-record.js';

/** How a key is proven: `key` by a proof of the page, `dbsc` by a cookie that the browser renews with the key. */
export type BoundKind = 'key' | 'dbsc';

/** `none` is a session without a key. */
export type BindingKind = 'none' | BoundKind;

/** A key and its name. */
export type BindingKey = Pick<DeviceKey, 'thumbprint' | 'compact'>;

/** The binding of a session. */
export interface SessionBinding extends BindingKey {
  readonly kind: BoundKind;
  /** When the session was bound in this way, in milliseconds since 1970. */
  readonly boundAtMs: number;
  /** Of `dbsc`: the thumbprint of the page's key, if the session was bound to one before. */
  readonly before?: string | undefined;
  /**
   * Of `dbsc`: whether no refresh has come with the bound cookie yet. The response to the registration may have been
   * lost, so what sufficed before it still suffices.
   */
  readonly isPending?: boolean;
}

/** The attribute of a registration that no bound cookie has confirmed. */
const PENDING = 'bound_pending';

/** Reads the binding of a record; undefined for an unbound session. */
export function bindingOf(attributes: SessionAttributes): SessionBinding | undefined {
  const { binding, binding_id, binding_key, bound_at, bound_before } = attributes;
  if (binding !== 'key' && binding !== 'dbsc') return undefined;
  return {
    kind: binding,
    thumbprint: binding_id ?? '',
    compact: binding_key ?? '',
    boundAtMs: Number(bound_at),
    before: bound_before,
    ...(attributes[PENDING] === undefined ? {} : { isPending: true }),
  };
}

/** The key that verifies signatures for a binding; undefined if the record holds none. */
export function bindingKeyOf({ compact }: SessionBinding): DeviceKey | undefined {
  return parseDeviceKey(compact);
}

/** How a record's key is asked for: a pending registration counts for nothing yet. */
export function bindingKindOf(attributes: SessionAttributes): BindingKind {
  const { kind = 'none', before, isPending = false } = bindingOf(attributes) ?? {};
  if (!isPending) return kind;
  return before === undefined ? 'none' : 'key';
}

/** The attributes after a bound cookie has shown that the browser has its key. */
export function confirmedAttributes({ [PENDING]: _, ...others }: SessionAttributes): SessionAttributes {
  return others;
}

/** The attributes of a binding. `lua/session_rotate.lua` and `lua/session_bind.lua` write the same. */
export function bindingAttributes({
  kind,
  thumbprint,
  compact,
  boundAtMs,
  before,
  isPending = false,
}: SessionBinding): SessionAttributes {
  return {
    binding: kind,
    binding_id: thumbprint,
    binding_key: compact,
    bound_at: String(boundAtMs),
    ...(before === undefined ? {} : { bound_before: before }),
    ...(isPending ? { [PENDING]: '1' } : {}),
  };
}

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
    thumbprint: key.thumbprint,
    compact: key.compact,
    boundAtMs: nowMs,
    before: binding?.thumbprint,
    isPending: true,
  });
  const next = { ...record, attributes: { ...record.attributes, ...bound } };
  return { outcome: 'bound', next };
}
