// The binding of a session to a device key, and its requirements on a refresh.

import type { SessionAttributes, SessionRecord } from '../session-record.js';
import { type DeviceKey, parseDeviceKey } from './public-jwk.js';

/** How a key is proven: `key` by a proof of the page, `dbsc` by a cookie that the browser renews with the key. */
export const BOUND_KINDS = ['key', 'dbsc'] as const;
export type BoundKind = (typeof BOUND_KINDS)[number];

/** `none` is a session without a key. */
export type BindingKind = 'none' | BoundKind;

/** A key and its thumbprint. */
export type BindingKey = Pick<DeviceKey, 'thumbprint' | 'compact'>;

/** The binding of a session. */
export interface SessionBinding extends BindingKey {
  readonly kind: BoundKind;
  /** When the session was bound in this way, in milliseconds since 1970. */
  readonly boundAtMs: number;
  /** For `dbsc`: the thumbprint of the page's earlier key, if any. */
  readonly before?: string | undefined;
  /**
   * For `dbsc`: whether no refresh has had the bound cookie yet. The response to the registration may have been lost, so the
   * earlier proof still suffices.
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

/** The key that verifies signatures for a binding; undefined if the record has none. */
export function bindingKeyOf({ compact }: SessionBinding): DeviceKey | undefined {
  return parseDeviceKey(compact);
}

/** The required kind of proof for a record: a pending registration counts for nothing yet. */
export function bindingKindOf(attributes: SessionAttributes): BindingKind {
  const { kind = 'none', before, isPending = false } = bindingOf(attributes) ?? {};
  if (!isPending) return kind;
  return before === undefined ? 'none' : 'key';
}

/** Whether a refresh has bound a session: only the proof of a page does, and a confirmed browser was bound before. */
export function isBoundByRefresh(before: SessionAttributes, after: SessionAttributes): boolean {
  return bindingKindOf(before) === 'none' && bindingKindOf(after) === 'key';
}

/** The attributes after a bound cookie has shown that the browser has its key. */
function confirmedAttributes({ [PENDING]: _, ...others }: SessionAttributes): SessionAttributes {
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

/** `REFRESH_BINDING`: `off` ignores bindings, `offer` binds capable clients, `require` rejects others. */
export type BindingPolicy = 'off' | 'offer' | 'require';

/** The evidence of a refresh besides its token; everything in it is verified. */
export interface PresentedBinding {
  readonly policy: BindingPolicy;
  /** The key of a proof. */
  readonly proof?: BindingKey | undefined;
  /** Whether that proof has the nonce of the login: no other proof binds a session. */
  readonly isFirst?: boolean;
  /** Thumbprint in the bound cookie of this session. */
  readonly cookie?: string | undefined;
}

/**
 * The verdict of the binding on a refresh: continue, first bind the session, first confirm the browser's registration,
 * reject it, or end the session as stolen.
 */
type BindingVerdict = 'pass' | 'bind' | 'confirm' | 'binding_required' | 'binding_failed';

/**
 * How long after a registration the earlier proof suffices in any case: requests without the new cookie may be in flight.
 */
const REGISTRATION_GRACE_MS = 10_000;

/** The presented binding if none is required. */
export const UNASKED: PresentedBinding = { policy: 'off' };

/** Decides a refresh before its generation is examined. `lua/session_rotate.lua` is the same rule for Redis. */
export function decideBinding(
  { attributes }: Pick<SessionRecord, 'attributes'>,
  { policy, proof, isFirst = false, cookie }: PresentedBinding,
  nowMs: number,
): BindingVerdict {
  if (policy === 'off') return 'pass';
  const binding = bindingOf(attributes);
  const mayBind = proof !== undefined && isFirst;
  if (binding === undefined) {
    // A session that stays unbound retains its reuse detection: a thief who bound it would hide behind the key.
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

/** The record after a verdict that continues a refresh. */
export function bindRecord(
  record: SessionRecord,
  verdict: BindingVerdict,
  { proof }: PresentedBinding,
  nowMs: number,
): SessionRecord {
  if (verdict === 'confirm') return { ...record, attributes: confirmedAttributes(record.attributes) };
  return verdict === 'bind' && proof !== undefined ? bindToProof(record, proof, nowMs) : record;
}

/** The record bound to a proven key; beside a browser's registration that is the earlier key. */
export function bindToProof(record: SessionRecord, key: BindingKey, nowMs: number): SessionRecord {
  const registered = bindingOf(record.attributes);
  const binding =
    registered === undefined
      ? ({ kind: 'key', ...key, boundAtMs: nowMs } as const)
      : { ...registered, before: key.thumbprint };
  return { ...record, attributes: { ...record.attributes, ...bindingAttributes(binding) } };
}

/**
 * The result of registering a browser's key: `bound` with the next record, `known` if the session already has this key,
 * `conflict` if it has another one, `revoked` without a session, or `expired`.
 */
export type Registration =
  | { readonly outcome: 'bound'; readonly next: SessionRecord }
  | { readonly outcome: 'known' | 'conflict' | 'revoked' | 'expired' };

/** Decides a registration. Never changes the session's last use. `lua/session_bind.lua` is the same rule. */
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
