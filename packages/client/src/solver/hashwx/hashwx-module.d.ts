// The static module of HashWX in base64: shared/src/pow/hashwx/hashwx.wat, assembled by packages/client/build.js.
//
// It exports `memory`, `make()` for the seed in its first 32 bytes, and `scan(nonce, count, threshold)`, which hashes
// `count` nonces from `nonce` with the last function made, and returns the offset of the first one whose hash is below the
// threshold, or -1.

export const hashwxModule: string;
