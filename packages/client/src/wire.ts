// The bodies that the services send, as types. Written by `npm run docs` from their schemas. Do not edit.

/** Response to `GET {prefix}/pow`. */
export interface PowChallenge {
  /** Challenge token; single use */
  readonly token: string;
  /** Hashed with the nonce: SHA-256(salt ‖ nonce) */
  readonly salt: string;
  /** Required leading zero bits of the digest */
  readonly difficulty: number;
  /** Name of the hash algorithm */
  readonly algorithm: string;
  /** Seconds until expiry; unaffected by clock differences */
  readonly expires_in: number;
  /** Absolute expiry, ISO 8601 in UTC */
  readonly expires_at: string;
}

/** Response to `GET {prefix}`. */
export interface ImageChallenge {
  /** Challenge token; single use */
  readonly token: string;
  /** Absolute link to the image */
  readonly url: string;
  /** Only with the query `hint`: the possible characters of the image, in capitals if case is ignored */
  readonly characters?: string;
  /** Seconds until expiry; unaffected by clock differences */
  readonly expires_in: number;
  /** Absolute expiry, ISO 8601 in UTC */
  readonly expires_at: string;
  /** In test mode only */
  readonly answer?: string;
}

/** Response to `GET {prefix}?preset=effort`. */
export interface EffortChallenge {
  /** Challenge token; single use */
  readonly token: string;
  /** Hashed with part and nonce */
  readonly salt: string;
  /** Number of parts, solved with the indices 00, 01, … */
  readonly parts: number;
  /** Leading zero bits of SHA-256(salt ‖ index ‖ nonce) */
  readonly part_difficulty: number;
  /** Name of the hash algorithm */
  readonly algorithm: string;
  /** Seconds until expiry; unaffected by clock differences */
  readonly expires_in: number;
  /** Absolute expiry, ISO 8601 in UTC */
  readonly expires_at: string;
}

/** Response to `POST /login` and `POST /refresh`. */
export interface TokenBody {
  /** The encrypted, URL-encoded access token */
  readonly accessToken: string;
  /** Seconds until the access token expires */
  readonly expiresIn: number;
}

/** Response to `GET /profile`. */
export interface ProfileBody {
  /** User id: a number, or a string if the directory has strings */
  readonly id: number | string;
  readonly email: string;
}

/** One session in the response to `GET /sessions`. */
export interface SessionEntry {
  readonly id: string;
  readonly created_at: string;
  /** Time of the login or last refresh */
  readonly last_used_at: string;
  /** Expiry time if not refreshed */
  readonly expires_at: string;
  readonly user_agent: string;
  /** True for the current session */
  readonly current: boolean;
}

/** Response to `GET /sessions`. */
export interface SessionsBody {
  readonly sessions: readonly SessionEntry[];
}

/** Error response, status 400 or higher; routes may add fields. */
export interface ErrorBody {
  /** Message for people, in the language of Accept-Language */
  readonly message: string;
  /** Stable error code for programs */
  readonly code: string;
  /** Mistakes by field, for people */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  /** The next attempt requires an image answer */
  readonly captcha_required?: boolean;
  /** Ticket for work priced by this account's failures; for `?scope=` */
  readonly pow_scope?: string;
  /** Presets that may replace the required image */
  readonly captcha_alternatives?: readonly string[];
  /** Image presets that this form accepts; for `?preset=` */
  readonly captcha_presets?: readonly string[];
  /** Lowest difficulty that this form accepts, in bits; for `?min_difficulty=` */
  readonly pow_min_difficulty?: number;
  /** Algorithms that this form accepts; for `?algorithms=` */
  readonly pow_algorithms?: readonly string[];
}
