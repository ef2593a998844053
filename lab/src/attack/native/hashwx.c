// HashWX: its programs, an interpreter, and shared code of its engines. The algorithm is that of docs/decisions/hashwx.md.

#include <string.h>

#include "attack.h"

static void round4(uint64_t v[4]) {
  v[0] += v[1], v[2] += v[3];
  v[1] = rol64(v[1], 13) ^ v[0], v[3] = rol64(v[3], 16) ^ v[2];
  v[0] = rol64(v[0], 32);
  v[2] += v[1], v[0] += v[3];
  v[1] = rol64(v[1], 17) ^ v[2], v[3] = rol64(v[3], 21) ^ v[0];
  v[2] = rol64(v[2], 32);
}

static void stream(const uint64_t key[2], uint64_t salt, uint64_t *words, int count) {
  uint64_t v[4] = {0x736f6d6570736575 ^ key[0], 0x646f72616e646f6d ^ key[1], 0x6c7967656e657261 ^ key[0],
                   0x7465646279746573 ^ key[1] ^ salt};
  round4(v);
  v[0] ^= salt, v[2] ^= 0xbb;
  for (int i = 0; i < 3; i++) round4(v);
  for (int at = 0;;) {
    for (int i = 3; i >= 0; i--) words[at++] = v[i];
    if (at >= count) return;
    for (int i = 0; i < 4; i++) v[i] ^= key[i & 1];
    for (int i = 0; i < 4; i++) round4(v);
  }
}

/** The permitted registers of each position of a permutation, as bits. */
static const uint8_t ALLOWED[8] = {0xd5, 0xfc, 0xfa, 0xf2, 0xea, 0xca, 0xab, 0x05};

static uint8_t permutations[625][8];

static int list_permutations(uint8_t *places, int at, int used, int count) {
  if (at == 8) {
    memcpy(permutations[count], places, 8);
    return count + 1;
  }
  for (int i = 0; i < 8; i++) {
    if (((ALLOWED[at] & ~used) >> i & 1) == 0) continue;
    places[at] = (uint8_t)i;
    count = list_permutations(places, at + 1, used | 1 << i, count);
  }
  return count;
}

static void make_program(struct instruction slots[8], const uint64_t g[16]) {
  static const uint8_t MUL_IMM[3] = {1, 9, 33};
  uint8_t d[8] = {0};
  for (int i = 1; i < 8; i++) {
    uint32_t j = (uint32_t)(g[i - 1] >> 32) % (uint32_t)(i + 1);
    d[i] = d[j];
    d[j] = (uint8_t)i;
  }
  const uint8_t *p = permutations[g[7] % 625];
  slots[0] = (struct instruction){3, d[0], (uint8_t)(8 + (g[7] & 1)), (uint8_t)(1 + g[8] % 63)};
  for (int slot = 1; slot < 8; slot++) {
    uint64_t w = g[8 + slot];
    uint8_t opcode, imm;
    if (slot & 1) {
      opcode = (uint8_t)(4 + (uint32_t)g[slot - 1] % 9);
      imm = (uint8_t)(1 + (opcode < 7 ? w % 63 : w % 3));
    } else {
      opcode = (uint8_t)((uint32_t)g[slot - 1] % 3);
      imm = MUL_IMM[w % 3];
    }
    slots[slot] = (struct instruction){opcode, d[slot], d[p[slot]], imm};
  }
}

void hashwx_make(struct function *function, const uint8_t seed[32]) {
  uint64_t keys[4], words[512];
  if (permutations[0][1] == 0) list_permutations((uint8_t[8]){0}, 0, 0, 0);
  memcpy(keys, seed, 32);
  stream(keys, ~(uint64_t)0, words, 512);
  for (int i = 0; i < 32; i++) make_program(function->programs[i], words + 16 * i);
  function->input_key[0] = keys[2], function->input_key[1] = keys[3];
}

void hashwx_begin(const struct function *function, uint64_t nonce, uint64_t r[10]) {
  stream(function->input_key, nonce, r, 8);
  r[8] = (r[4] & ~(uint64_t)7) | 3;
  r[9] = (r[7] & ~(uint64_t)7) | 5;
}

uint64_t hashwx_end(uint64_t r[10]) {
  round4(r);
  round4(r + 4);
  return r[3] ^ r[7] ^ r[9];
}

static uint64_t sar64(uint64_t x, int n) { return (uint64_t)((int64_t)x >> n); }

static uint64_t execute(struct instruction i, uint64_t d, uint64_t s) {
  switch (i.opcode) {
    case 0: return (d | i.imm) * s;
    case 1: return (d ^ i.imm) * s;
    case 2: return (d + i.imm) * s;
    case 3: return ror64(d * s, i.imm);
    case 4: return ror64(d, i.imm) ^ s;
    case 5: return ror64(d, i.imm) + s;
    case 6: return ror64(d, i.imm) - s;
    case 7: return sar64(d, i.imm) ^ s;
    case 8: return sar64(d, i.imm) + s;
    case 9: return sar64(d, i.imm) - s;
    case 10: return (d >> i.imm) ^ s;
    case 11: return (d >> i.imm) + s;
    default: return (d >> i.imm) - s;
  }
}

static void run_phase(const struct function *function, uint64_t r[10], uint64_t memory[256], int reads) {
  int jumps = 0;
  for (int i = 0; i < 32; i++) {
    const struct instruction *slots = function->programs[i];
    for (;;) {
      uint64_t *d = &r[slots[0].dst];
      *d = execute(slots[0], *d, r[slots[0].src]);
      uint64_t remembered = *d;
      for (int slot = 1; slot < 7; slot++) {
        uint64_t s = r[slots[slot].src];
        d = &r[slots[slot].dst];
        *d = execute(slots[slot], *d, reads ? memory[s >> 3 & 255] : s);
      }
      if ((remembered & 32) != 0 || jumps == 32) break;
      jumps++;
    }
    uint64_t s = r[slots[7].src];
    r[slots[7].dst] = execute(slots[7], r[slots[7].dst], reads ? memory[s >> 3 & 255] : s);
    if (!reads) {
      for (int j = 0; j < 8; j++) memory[255 - 8 * i - j] = r[j];
    }
  }
}

static void interpret(const struct function *function, const uint64_t *nonces, int count, uint64_t *hashes) {
  uint64_t r[10], memory[256];
  for (int i = 0; i < count; i++) {
    hashwx_begin(function, nonces[i], r);
    run_phase(function, r, memory, 0);
    run_phase(function, r, memory, 1);
    hashes[i] = hashwx_end(r);
  }
}

int hashwx_engines(struct hashwx_engine engines[4], const uint8_t *code) {
  int count = 0;
  (void)code;
  engines[count++] = (struct hashwx_engine){"an interpreter in C", NULL, interpret};
#if defined(__x86_64__)
  if (code == NULL) return count;
  engines[count++] = (struct hashwx_engine){"x86-64", hashwx_compile_x86, hashwx_run_x86};
  if (__builtin_cpu_supports("avx512dq")) {
    engines[count++] = (struct hashwx_engine){"AVX-512", hashwx_compile_avx512, hashwx_run_avx512};
    engines[count++] = (struct hashwx_engine){"AVX-512 and x86-64", hashwx_compile_mixed, hashwx_run_mixed};
  }
#endif
  return count;
}
