// The errors that the gate returns.

import { defineError } from '@tollgate/shared/http';

/** The gate requires a valid pass. */
export const GatePassRequired = defineError('GATE_PASS_REQUIRED', 403);

/** The address of a possible robot could not be looked up. */
export const GateNotLookedUp = defineError('GATE_NOT_LOOKED_UP', 503);

/** A gate rule rejects the request, even with a pass. */
export const GateRefused = defineError('GATE_REFUSED', 403);

/** No gated site is configured for this host. */
export const GateSiteUnknown = defineError('GATE_SITE_UNKNOWN', 403);
