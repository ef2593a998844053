// The binding of a session to a key of its device, as the attributes of its record hold it.

import { type DeviceKey, parseDeviceKey } from '@tollgate/shared/crypto/public-jwk.js';
import type { SessionAttributes } from '../session-record.js';

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
