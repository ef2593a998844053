// A scan with the SHA extensions of x86-64, four nonces at a time, and the list of this processor's engines.

#include "attack.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define STREAMS 4

static __m128i four(const uint32_t *words) { return _mm_loadu_si128((const __m128i *)words); }

__attribute__((target("sha,sse4.1"))) static int scan_extensions(const struct sha256_prefix *p, uint32_t limit) {
  const uint32_t *s = p->state12;
  const __m128i abef = _mm_set_epi32((int)s[0], (int)s[1], (int)s[4], (int)s[5]);
  const __m128i cdgh = _mm_set_epi32((int)s[2], (int)s[3], (int)s[6], (int)s[7]);
  // The suffix changes none of the words 16 to 19.
  const __m128i words16 = four(p->fixed + 16);
  for (int first = 0; first < SUFFIXES; first += STREAMS) {
    __m128i x[STREAMS][16], low[STREAMS], high[STREAMS];
#pragma GCC unroll 4
    for (int n = 0; n < STREAMS; n++) {
      low[n] = abef, high[n] = cdgh;
      x[n][1] = four(p->fixed + 4), x[n][2] = four(p->fixed + 8), x[n][4] = words16;
      x[n][3] = _mm_insert_epi32(four(p->fixed + 12), (int)sha256_suffixes[first + n], 1);
    }
#pragma GCC unroll 16
    for (int t = 3; t < 16; t++) {
#pragma GCC unroll 4
      for (int n = 0; n < STREAMS; n++) {
        if (t > 4) {
          x[n][t] = _mm_add_epi32(_mm_sha256msg1_epu32(x[n][t - 4], x[n][t - 3]), _mm_alignr_epi8(x[n][t - 1], x[n][t - 2], 4));
          x[n][t] = _mm_sha256msg2_epu32(x[n][t], x[n][t - 1]);
        }
        const __m128i k = _mm_add_epi32(x[n][t], four(SHA256_K + 4 * t));
        high[n] = _mm_sha256rnds2_epu32(high[n], low[n], k);
        low[n] = _mm_sha256rnds2_epu32(low[n], high[n], _mm_shuffle_epi32(k, 0x0e));
      }
    }
#pragma GCC unroll 4
    for (int n = 0; n < STREAMS; n++) {
      if ((uint32_t)_mm_extract_epi32(low[n], 3) + 0x6a09e667 <= limit) return first + n;
    }
  }
  return -1;
}

static int has_extensions(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
}
#endif

int sha256_engines(struct sha256_engine engines[4]) {
  int count = 0;
  engines[count++] = (struct sha256_engine){"portable C", scan_portable};
#if defined(__x86_64__)
  if (has_extensions()) engines[count++] = (struct sha256_engine){"SHA extensions", scan_extensions};
  if (__builtin_cpu_supports("avx2")) engines[count++] = (struct sha256_engine){"AVX2", scan_avx2};
  if (__builtin_cpu_supports("avx512f")) engines[count++] = (struct sha256_engine){"AVX-512", scan_avx512};
#endif
  return count;
}
