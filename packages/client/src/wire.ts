// The bodies that the services send, as types. Written by `npm run docs` from their schemas. Do not edit.

/** Answer to `GET {prefix}/pow`. */
export interface PowChallenge {
  /** Names the challenge; single use */
  readonly token: string;
  /** Hashed with the nonce: SHA-256(salt ‖ nonce) */
  readonly salt: string;
  /** Leading zero bits that the digest must have */
  readonly difficulty: number;
  /** Name of the hash algorithm */
  readonly algorithm: string;
  /** Seconds until expiry; unaffected by clock differences */
  readonly expires_in: number;
  /** Absolute expiry, ISO 8601 in UTC */
  readonly expires_at: string;
}

/** Answer to `GET {prefix}`. */
export interface ImageChallenge {
  /** Names the challenge; single use */
  readonly token: string;
  /** Absolute link to the image */
  readonly url: string;
  /** With the query `hint` only: the characters that can occur in the image, in capitals if the answer ignores them */
  readonly characters?: string;
  /** Seconds until expiry; unaffected by clock differences */
  readonly expires_in: number;
  /** Absolute expiry, ISO 8601 in UTC */
  readonly expires_at: string;
  /** In test mode only */
  readonly answer?: string;
}

/** Answer to `GET {prefix}?preset=effort`. */
export interface EffortChallenge {
  /** Names the challenge; single use */
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

/** Answer to `POST /login` and `POST /refresh`. */
export interface TokenBody {
  /** The encrypted, URL-encoded access token */
  readonly accessToken: string;
  /** Seconds until the access token expires */
  readonly expiresIn: number;
}

/** Answer to `GET /profile`. */
export interface ProfileBody {
  /** The user's id: a number, or a text where the directory has texts */
  readonly id: number | string;
  readonly email: string;
}

/** One session in the answer to `GET /sessions`. */
export interface SessionEntry {
  readonly id: string;
  readonly created_at: string;
  /** Its start or its last refresh */
  readonly last_used_at: string;
  /** When it ends unless it is refreshed */
  readonly expires_at: string;
  readonly user_agent: string;
  /** Whether it is the one that asks */
  readonly current: boolean;
}

/** Answer to `GET /sessions`. */
export interface SessionsBody {
  readonly sessions: readonly SessionEntry[];
}

/** Answer with a status of 400 or more; routes may add fields beside these. */
export interface ErrorBody {
  /** What happened, for people, in the language of Accept-Language */
  readonly message: string;
  /** What happened, for programs; stable */
  readonly code: string;
  /** Per field what is wrong with it, for people */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  /** The next attempt must include an image answer */
  readonly captcha_required?: boolean;
  /** Ticket for work priced by the failures of this account; for `?scope=` */
  readonly pow_scope?: string;
  /** Presets that may stand in for the demanded image */
  readonly captcha_alternatives?: readonly string[];
  /** Presets of images that this form accepts; for `?preset=` */
  readonly captcha_presets?: readonly string[];
  /** The least bits of work that this form accepts; for `?min_difficulty=` */
  readonly pow_min_difficulty?: number;
  /** Algorithms of work that this form accepts; for `?algorithms=` */
  readonly pow_algorithms?: readonly string[];
}
