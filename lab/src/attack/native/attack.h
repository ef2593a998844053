// Shared declarations of the native solvers.

#ifndef ATTACK_H
#define ATTACK_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t ror32(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }
static inline uint64_t rol64(uint64_t x, int n) { return (x << n) | (x >> (64 - n)); }
static inline uint64_t ror64(uint64_t x, int n) { return (x >> n) | (x << (64 - n)); }

// SHA-256 (sha256.c).

extern const uint32_t SHA256_K[64];

/** Hashes at most 55 bytes. */
void sha256_short(const uint8_t *text, size_t length, uint8_t digest[32]);

/** Nonces of a scan: the last three digits are 000 to 991, which fills vectors of 16 lanes. */
#define SUFFIXES 992

/** A scan's input besides the suffix: the values that depend on the first 52 bytes of the block. */
struct sha256_prefix {
  /** The state after 12 rounds, and after 14 with a suffix of 0. */
  uint32_t state12[8], state13[8];
  /** The words of the schedule without the terms that the suffix changes. */
  uint32_t fixed[64];
};

/** Returns the least suffix whose hash begins with a word of at most `limit`, or -1. */
typedef int (*sha256_scan)(const struct sha256_prefix *prefix, uint32_t limit);

struct sha256_engine {
  const char *name;
  sha256_scan scan;
};

int scan_portable(const struct sha256_prefix *prefix, uint32_t limit);
int scan_avx2(const struct sha256_prefix *prefix, uint32_t limit);
int scan_avx512(const struct sha256_prefix *prefix, uint32_t limit);


/** The engines of this processor. @return their number, at most 4 */
int sha256_engines(struct sha256_engine engines[4]);

/** Prepares the scan of the nonces that begin with the 20 digits of `high`. @param salt 32 characters */
void sha256_prepare(struct sha256_prefix *prefix, const char *salt, uint64_t high);

/** The word of each suffix, with the padding behind it. */
extern uint32_t sha256_suffixes[SUFFIXES];

// HashWX (hashwx.c).

struct instruction {
  uint8_t opcode, dst, src, imm;
};

struct function {
  struct instruction programs[32][8];
  uint64_t input_key[2];
  /** An engine's compiled programs: `CODE_BYTES` of executable memory. */
  uint8_t *code;
};

struct hashwx_engine {
  const char *name;
  /** Writes the code of a function; null for an interpreter. */
  void (*compile)(struct function *function);
  /** Hashes `count` nonces, a multiple of 8. */
  void (*hash)(const struct function *function, const uint64_t *nonces, int count, uint64_t *hashes);
};

#define CODE_BYTES 65536

/** The engines of this processor. @param code executable memory, null if there is none @return their number, at most 4 */
int hashwx_engines(struct hashwx_engine engines[4], const uint8_t *code);

/** Generates the programs and the key of a seed. */
void hashwx_make(struct function *function, const uint8_t seed[32]);

/** Fills the ten registers of a nonce. */
void hashwx_begin(const struct function *function, uint64_t nonce, uint64_t r[10]);

/** Returns the hash of the registers after both phases. */
uint64_t hashwx_end(uint64_t r[10]);

void hashwx_compile_x86(struct function *function);
void hashwx_run_x86(const struct function *function, const uint64_t *nonces, int count, uint64_t *hashes);
void hashwx_emit_x86(const struct function *function, uint8_t *code, int only_reads);
void hashwx_compile_avx512(struct function *function);
void hashwx_compile_mixed(struct function *function);
void hashwx_run_mixed(const struct function *function, const uint64_t *nonces, int count, uint64_t *hashes);
void hashwx_run_avx512(const struct function *function, const uint64_t *nonces, int count, uint64_t *hashes);

#endif
