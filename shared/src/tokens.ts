// Access tokens: issuing, opening and verifying them, and the bearer guard.

export {
  type AccessVerdict,
  type BearerOptions,
  type BearerRule,
  bearer,
  bearerOf,
  createTokenVerifier,
  default as bearerPlugin,
  type RequireBearer,
} from './http/tokens/bearer.js';
export { bearerToken } from './http/tokens/bearer-token.js';
export { openPageTokens, type PageTokens } from './http/tokens/page-tokens.js';
export {
  createPublicIssuer,
  createPublicReader,
  JWKS_MAX_AGE_SECONDS,
  type PublishedKeys,
  publishKeys,
} from './http/tokens/public-tokens.js';
export { openTokenCodec, type TokenCodec } from './http/tokens/token-codec.js';
export { default as tokens, type TokenOptions, type Tokens } from './http/tokens/tokens.js';
