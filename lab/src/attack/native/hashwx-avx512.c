// Writes AVX-512 code for a HashWX function: eight nonces at a time, one in each lane. A program is repeated until no lane
// jumps any more; a mask keeps the registers of finished lanes.

#include "attack.h"
#include "machine-code.h"

#if defined(__x86_64__)

typedef uint64_t lanes __attribute__((vector_size(64)));

// Vector registers; 0 to 9 are R0 to R9.
enum { JUMPS = 11, ONE = 12, BIT_5 = 13, ADDRESS = 14, LANE = 15, FACTOR = 16, LOADED = 19, TEMPORARY = 20 };
enum { RSI = 6, RDI = 7, RDX = 2 };
enum { MAP_0F = 1, MAP_0F38 = 2 };
enum { PREFIX_66 = 1, PREFIX_F3 = 2 };

#define BYTES(w, text) bytes(w, text, sizeof(text) - 1)

/** The prefix of an instruction on 512-bit vectors, and its opcode. @param extended the inverted bits R, X, B and R' */
static void evex(struct writer *w, int extended, int map, int prefix, int opcode, int second, int mask) {
  byte(w, 0x62);
  byte(w, extended << 4 | map);
  byte(w, 0x84 | (~second & 15) << 3 | prefix);
  byte(w, 0x40 | (~second >> 4 & 1) << 3 | mask);
  byte(w, opcode);
}

struct operation {
  int map, prefix, opcode;
};

static const struct operation MULTIPLY = {MAP_0F38, PREFIX_66, 0x40};
static const struct operation AND = {MAP_0F, PREFIX_66, 0xdb};
static const struct operation OR = {MAP_0F, PREFIX_66, 0xeb};
static const struct operation XOR = {MAP_0F, PREFIX_66, 0xef};
static const struct operation ADD = {MAP_0F, PREFIX_66, 0xd4};
static const struct operation SUB = {MAP_0F, PREFIX_66, 0xfb};
static const struct operation NONE_IN_COMMON = {MAP_0F38, PREFIX_F3, 0x27};

/** first operation second, into dst where the mask is set. @param mask a register, 0 for all lanes */
static void apply(struct writer *w, struct operation o, int dst, int first, int second, int mask) {
  int extended = (~dst >> 3 & 1) << 3 | (~second >> 4 & 1) << 2 | (~second >> 3 & 1) << 1 | (~dst >> 4 & 1);
  evex(w, extended, o.map, o.prefix, o.opcode, first, mask);
  byte(w, 0xc0 | (dst & 7) << 3 | (second & 7));
}

enum shift { ROTATE = 0x7200, ARITHMETIC = 0x7204, LOGICAL = 0x7302 };

static void shift(struct writer *w, enum shift kind, int dst, int source, int count, int mask) {
  int extended = 8 | (~source >> 4 & 1) << 2 | (~source >> 3 & 1) << 1 | 1;
  evex(w, extended, MAP_0F, PREFIX_66, kind >> 8, dst, mask);
  byte(w, 0xc0 | (kind & 7) << 3 | (source & 7));
  byte(w, count);
}

/** Moves a vector between a register and the memory at base + offset. @param opcode 6f loads, 7f stores */
static void move(struct writer *w, int opcode, int reg, int base, int offset) {
  evex(w, (~reg >> 3 & 1) << 3 | 6 | (~reg >> 4 & 1), MAP_0F, PREFIX_F3, opcode, 0, 0);
  byte(w, 0x80 | (reg & 7) << 3 | base);
  dword(w, (uint32_t)offset);
}

/** The memory words addressed by a register in each lane; words with the same number are adjacent. */
static void gather(struct writer *w, int address) {
  apply(w, AND, TEMPORARY, address, ADDRESS, 0);
  apply(w, OR, TEMPORARY, TEMPORARY, LANE, 0);
  BYTES(w, "\xc5\xf9\x90\xd1");  // kmovb k2, k1
  byte(w, 0x62);
  byte(w, (~LOADED >> 3 & 1) << 7 | (~TEMPORARY >> 3 & 1) << 6 | 1 << 5 | (~LOADED >> 4 & 1) << 4 | MAP_0F38);
  byte(w, 0xfd);
  byte(w, 0x40 | (~TEMPORARY >> 4 & 1) << 3 | 2);
  byte(w, 0x91);
  byte(w, (LOADED & 7) << 3 | 4);
  byte(w, 0xc0 | (TEMPORARY & 7) << 3 | RSI);
}

static void slot(struct writer *w, struct instruction i, int reads, int mask) {
  static const enum shift SHIFT[3] = {ROTATE, ARITHMETIC, LOGICAL};
  const struct operation combine[3] = {XOR, ADD, SUB}, before[3] = {OR, XOR, ADD};
  if (i.opcode == 3) {
    apply(w, MULTIPLY, TEMPORARY, i.dst, i.src, 0);
    shift(w, ROTATE, i.dst, TEMPORARY, i.imm, mask);
    return;
  }
  if (reads) gather(w, i.src);
  int source = reads ? LOADED : i.src;
  if (i.opcode < 3) {
    int factor = FACTOR + (i.imm == 1 ? 0 : i.imm == 9 ? 1 : 2);
    apply(w, before[i.opcode], TEMPORARY, i.dst, factor, 0);
    apply(w, MULTIPLY, i.dst, TEMPORARY, source, mask);
  } else {
    shift(w, SHIFT[(i.opcode - 4) / 3], TEMPORARY, i.dst, i.imm, 0);
    apply(w, combine[(i.opcode - 4) % 3], i.dst, TEMPORARY, source, mask);
  }
}

static void phase(struct writer *w, const struct function *function, int reads) {
  apply(w, XOR, JUMPS, JUMPS, JUMPS, 0);
  for (int i = 0; i < 32; i++) {
    const struct instruction *slots = function->programs[i];
    BYTES(w, "\xc5\xf5\x46\xc9");  // kxnorb k1, k1, k1
    const uint8_t *start = w->at;
    for (int at = 0; at < 7; at++) slot(w, slots[at], reads && at > 0, 1);
    apply(w, OR, TEMPORARY, slots[0].dst, JUMPS, 0);
    apply(w, NONE_IN_COMMON, 1, TEMPORARY, BIT_5, 1);
    apply(w, ADD, JUMPS, JUMPS, ONE, 1);
    BYTES(w, "\xc5\xf9\x98\xc9\x0f\x85");  // kortestb k1, k1; jnz
    dword(w, (uint32_t)(start - (w->at + 4)));
    if (reads) BYTES(w, "\xc5\xf5\x46\xc9");
    slot(w, slots[7], reads, 0);
    if (reads) continue;
    for (int j = 0; j < 8; j++) move(w, 0x7f, j, RSI, 64 * (255 - 8 * i - j));
  }
}

static const int CONSTANT_AT[] = {ONE, BIT_5, ADDRESS, LANE, FACTOR, FACTOR + 1, FACTOR + 2};
static const lanes CONSTANTS[7] = {
    {1, 1, 1, 1, 1, 1, 1, 1},
    {32, 32, 32, 32, 32, 32, 32, 32},
    {2040, 2040, 2040, 2040, 2040, 2040, 2040, 2040},
    {0, 1, 2, 3, 4, 5, 6, 7},
    {1, 1, 1, 1, 1, 1, 1, 1},
    {9, 9, 9, 9, 9, 9, 9, 9},
    {33, 33, 33, 33, 33, 33, 33, 33},
};

typedef void (*vector_code)(lanes *registers, lanes *memory, const lanes *constants);
typedef void (*scalar_code)(uint64_t *registers, uint64_t *memory);

static void compile(const struct function *function, uint8_t *code, int reads) {
  struct writer w = {code};
  for (int j = 0; j < 7; j++) move(&w, 0x6f, CONSTANT_AT[j], RDX, 64 * j);
  for (int j = 0; j < 10; j++) move(&w, 0x6f, j, RDI, 64 * j);
  phase(&w, function, 0);
  if (reads) phase(&w, function, 1);
  for (int j = 0; j < 8; j++) move(&w, 0x7f, j, RDI, 64 * j);
  BYTES(&w, "\xc5\xf8\x77\xc3");  // vzeroupper; ret
}

void hashwx_compile_avx512(struct function *function) { compile(function, function->code, 1); }

/** Gathers are slow, so the second phase may be faster with one nonce after the other. */
void hashwx_compile_mixed(struct function *function) {
  compile(function, function->code, 0);
  hashwx_emit_x86(function, function->code + CODE_BYTES / 2, 1);
}

static lanes memory[256];

static void run_lanes(const struct function *function, const uint64_t *nonces, lanes r[10]) {
  for (int lane = 0; lane < 8; lane++) {
    uint64_t one[10];
    hashwx_begin(function, nonces[lane], one);
    for (int j = 0; j < 10; j++) r[j][lane] = one[j];
  }
  ((vector_code)(uintptr_t)function->code)(r, memory, CONSTANTS);
}

static void take_lane(const lanes r[10], int lane, uint64_t one[10]) {
  for (int j = 0; j < 10; j++) one[j] = r[j][lane];
}

void hashwx_run_avx512(const struct function *function, const uint64_t *nonces, int count, uint64_t *hashes) {
  lanes r[10];
  for (int at = 0; at < count; at += 8) {
    run_lanes(function, nonces + at, r);
    for (int lane = 0; lane < 8; lane++) {
      uint64_t one[10];
      take_lane(r, lane, one);
      hashes[at + lane] = hashwx_end(one);
    }
  }
}

void hashwx_run_mixed(const struct function *function, const uint64_t *nonces, int count, uint64_t *hashes) {
  const scalar_code read = (scalar_code)(uintptr_t)(function->code + CODE_BYTES / 2);
  lanes r[10];
  for (int at = 0; at < count; at += 8) {
    run_lanes(function, nonces + at, r);
    for (int lane = 0; lane < 8; lane++) {
      uint64_t one[10];
      take_lane(r, lane, one);
      read(one, (uint64_t *)memory + lane);
      hashes[at + lane] = hashwx_end(one);
    }
  }
}

#endif
