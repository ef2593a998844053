// The user of a page.

export interface PageUser {
  /** The user's id, as text. */
  readonly id: string;
  readonly email: string;
  readonly sessionId: string;
  /** Time of authentication in seconds since 1970, if known. */
  readonly authTime?: number | undefined;
  /** Authentication methods (RFC 8176) such as `pwd`, if known. */
  readonly amr?: readonly string[] | undefined;
  /** The directory's claims, with `verify: 'keys'` only. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** Verifies the values of the page cookie. */
export type Verify = (values: readonly string[], method: string) => Promise<PageUser | null>;
