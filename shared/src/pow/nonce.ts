// The grammar of a proof-of-work nonce.

const NONCE = /^(?:0|[1-9][0-9]{0,23})$/;

/**
 * Says whether a text is a nonce: 1 to 24 decimal digits, no sign, no leading zero except `0` itself
 * (decisions 2.1). With a salt of fixed length this makes salt ‖ nonce unambiguous.
 */
export function isNonce(text: string): boolean {
  return NONCE.test(text);
}
