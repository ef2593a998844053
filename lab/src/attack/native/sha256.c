// SHA-256: single hashes, and scans for the nonce of a proof of work. Its text is a 32-character salt and a number, here of
// 23 digits, so that only the last three change within a scan: they are in the 14th word of the block, and values that
// depend only on earlier words are computed once.

#include <string.h>

#include "attack.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

const uint32_t SHA256_K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static const uint32_t INITIAL[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

uint32_t sha256_suffixes[SUFFIXES] __attribute__((aligned(64)));

static uint32_t sigma0(uint32_t x) { return ror32(x, 7) ^ ror32(x, 18) ^ x >> 3; }
static uint32_t sigma1(uint32_t x) { return ror32(x, 17) ^ ror32(x, 19) ^ x >> 10; }

static void rounds(uint32_t s[8], const uint32_t w[64], int from, int to) {
  for (int i = from; i < to; i++) {
    uint32_t t1 = s[7] + (ror32(s[4], 6) ^ ror32(s[4], 11) ^ ror32(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + SHA256_K[i] + w[i];
    uint32_t t2 = (ror32(s[0], 2) ^ ror32(s[0], 13) ^ ror32(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t1;
    s[0] = t1 + t2;
  }
}

/** Reads a block as words. @param length at most 55; the rest is padding */
static void read_block(uint32_t w[16], const uint8_t *text, size_t length) {
  uint8_t block[64] = {0};
  memcpy(block, text, length);
  block[length] = 0x80;
  block[62] = (uint8_t)(length >> 5), block[63] = (uint8_t)(length << 3);
  for (int i = 0; i < 16; i++) {
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  }
}

void sha256_short(const uint8_t *text, size_t length, uint8_t digest[32]) {
  uint32_t w[64], s[8];
  read_block(w, text, length);
  for (int i = 16; i < 64; i++) w[i] = w[i - 16] + sigma0(w[i - 15]) + w[i - 7] + sigma1(w[i - 2]);
  memcpy(s, INITIAL, sizeof s);
  rounds(s, w, 0, 64);
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)((s[i / 4] + INITIAL[i / 4]) >> (24 - 8 * (i & 3)));
}

static int varies(int i) { return i == 13 || i == 20 || i == 22 || i == 24 || i >= 26; }

void sha256_prepare(struct sha256_prefix *prefix, const char *salt, uint64_t high) {
  uint8_t text[55];
  memcpy(text, salt, 32);
  for (int i = 51; i >= 32; i--, high /= 10) text[i] = (uint8_t)('0' + high % 10);
  memset(text + 52, 0, 3);
  uint32_t *w = prefix->fixed;
  read_block(w, text, 55);
  w[13] = 0;
  for (int i = 16; i < 64; i++) {
    w[i] = 0;
    if (!varies(i - 16)) w[i] += w[i - 16];
    if (!varies(i - 15)) w[i] += sigma0(w[i - 15]);
    if (!varies(i - 7)) w[i] += w[i - 7];
    if (!varies(i - 2)) w[i] += sigma1(w[i - 2]);
  }
  memcpy(prefix->state12, INITIAL, sizeof INITIAL);
  rounds(prefix->state12, w, 0, 12);
  memcpy(prefix->state13, prefix->state12, sizeof INITIAL);
  rounds(prefix->state13, w, 12, 14);
  for (int i = 0; i < SUFFIXES; i++) {
    sha256_suffixes[i] = (uint32_t)('0' + i / 100) << 24 | (uint32_t)('0' + i / 10 % 10) << 16 | (uint32_t)('0' + i % 10) << 8 | 0x80;
  }
}

#define TARGET
#define SCAN scan_portable
#define VECTOR uint32_t
#define LANES 1
#define SPLAT(x) ((uint32_t)(x))
#define LOAD(x) (*(x))
#define ADD(x, y) ((x) + (y))
#define ROR(x, n) ror32(x, n)
#define SHR(x, n) ((x) >> (n))
#define XOR3(x, y, z) ((x) ^ (y) ^ (z))
#define CHOOSE(x, y, z) ((((y) ^ (z)) & (x)) ^ (z))
#define MAJORITY(x, y, z) (((x) & (y)) | (((x) | (y)) & (z)))
#define AT_MOST(x, limit) ((x) <= (limit))
#include "sha256-lanes.h"

#if defined(__x86_64__)

#define TARGET __attribute__((target("avx2")))
#define SCAN scan_avx2
#define VECTOR __m256i
#define LANES 8
#define SPLAT(x) _mm256_set1_epi32((int)(x))
#define LOAD(x) _mm256_load_si256((const __m256i *)(x))
#define ADD(x, y) _mm256_add_epi32(x, y)
#define ROR(x, n) _mm256_or_si256(_mm256_srli_epi32(x, n), _mm256_slli_epi32(x, 32 - (n)))
#define SHR(x, n) _mm256_srli_epi32(x, n)
#define XOR3(x, y, z) _mm256_xor_si256(_mm256_xor_si256(x, y), z)
#define CHOOSE(x, y, z) _mm256_xor_si256(_mm256_and_si256(_mm256_xor_si256(y, z), x), z)
#define MAJORITY(x, y, z) _mm256_or_si256(_mm256_and_si256(x, y), _mm256_and_si256(_mm256_or_si256(x, y), z))
#define AT_MOST(x, limit) \
  (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_min_epu32(x, SPLAT(limit)), x)))
#include "sha256-lanes.h"

#define TARGET __attribute__((target("avx512f")))
#define SCAN scan_avx512
#define VECTOR __m512i
#define LANES 16
#define SPLAT(x) _mm512_set1_epi32((int)(x))
#define LOAD(x) _mm512_load_si512(x)
#define ADD(x, y) _mm512_add_epi32(x, y)
#define ROR(x, n) _mm512_ror_epi32(x, n)
#define SHR(x, n) _mm512_srli_epi32(x, n)
#define XOR3(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0x96)
#define CHOOSE(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xca)
#define MAJORITY(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xe8)
#define AT_MOST(x, limit) (unsigned)_mm512_cmple_epu32_mask(x, SPLAT(limit))
#include "sha256-lanes.h"

#endif
