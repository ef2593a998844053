// Rules and names shared by the session store tests.

import type { SessionRules } from '../../src/domain/session-record.js';

export const SECOND = 1000;
export const HOUR = 3600 * SECOND;
export const DAY = 24 * HOUR;

/** The configuration's defaults, but with fewer sessions. */
export const RULES: SessionRules = {
  windowMs: 30 * SECOND,
  recoveries: 4,
  refreshTtlMs: 7 * DAY,
  notRememberedTtlMs: DAY,
  maxAgeMs: 30 * DAY,
  maxSessions: 3,
};

export const PHONE = { uid: 7, sid: 'phone' };
export const LAPTOP = { uid: 7, sid: 'laptop' };
export const AGENT = { userAgent: 'a browser' };
