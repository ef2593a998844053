// Writes x86-64 code for a HashWX function: R0 to R7 are r8 to r15, R8 and R9 are rbp and rbx, and nothing is spilled.

#include "attack.h"
#include "machine-code.h"

#if defined(__x86_64__)

enum { RAX = 0, RCX = 1, RBX = 3, RBP = 5, RSI = 6, RDI = 7 };

static const uint8_t REGISTER[10] = {8, 9, 10, 11, 12, 13, 14, 15, RBP, RBX};

/** An instruction on two 64-bit registers. */
static void registers(struct writer *w, int opcode, int reg, int rm) {
  byte(w, 0x48 | reg >> 3 << 2 | rm >> 3);
  byte(w, opcode);
  byte(w, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

/** An instruction on a 64-bit register with an 8-bit immediate. */
static void immediate(struct writer *w, int opcode, int extension, int rm, int value) {
  registers(w, opcode, extension, rm);
  byte(w, value);
}

/** Whether a slot has a memory source; then the exponent of its words' distance, in units of 8 bytes. */
enum source { REGISTERS = -1, MEMORY = 0, MEMORY_OF_EIGHT = 3 };

/** An instruction with a register source, or the memory word at rsi + rax times the distance. */
static void source(struct writer *w, int opcode, int dst, int src, enum source from) {
  const int reads = from != REGISTERS;
  byte(w, 0x48 | dst >> 3 << 2 | (reads ? 0 : src >> 3));
  if (opcode > 0xff) byte(w, opcode >> 8);
  byte(w, opcode & 0xff);
  if (reads) {
    byte(w, (dst & 7) << 3 | 4);
    byte(w, from << 6 | RAX << 3 | RSI);
  } else {
    byte(w, 0xc0 | (dst & 7) << 3 | (src & 7));
  }
}

enum { ADD = 0x03, SUB = 0x2b, XOR = 0x33, IMUL = 0x0faf };
enum { OR_EXTENSION = 1, XOR_EXTENSION = 6, ROR = 1, SHR = 5, SAR = 7 };

static void move_low(struct writer *w, int dst, int src) {
  if (src > 7) byte(w, 0x44);
  byte(w, 0x89);
  byte(w, 0xc0 | (src & 7) << 3 | dst);
}

static void slot(struct writer *w, struct instruction i, enum source from) {
  static const int SHIFT[3] = {ROR, SAR, SHR};
  static const int COMBINE[3] = {XOR, ADD, SUB};
  static const int BEFORE[3] = {OR_EXTENSION, XOR_EXTENSION, 0};
  int dst = REGISTER[i.dst], src = REGISTER[i.src];
  if (i.opcode == 3) {
    source(w, IMUL, dst, src, REGISTERS);
    immediate(w, 0xc1, ROR, dst, i.imm);
    return;
  }
  if (from != REGISTERS) {
    move_low(w, RAX, src);
    byte(w, 0x25);
    dword(w, 2040);
  }
  if (i.opcode < 3) {
    immediate(w, 0x83, BEFORE[i.opcode], dst, i.imm);
    source(w, IMUL, dst, src, from);
  } else {
    immediate(w, 0xc1, SHIFT[(i.opcode - 4) / 3], dst, i.imm);
    source(w, COMBINE[(i.opcode - 4) % 3], dst, src, from);
  }
}

/** ecx counts the jumps of the phase; 32 of them set the bit that ends a program. */
static void jump(struct writer *w, const uint8_t *target, int remembered) {
  static const uint8_t TEST[] = {0x09, 0xc8, 0xff, 0xc1, 0xa8, 0x20, 0x0f, 0x84};
  move_low(w, RAX, remembered);
  bytes(w, TEST, sizeof TEST);
  dword(w, (uint32_t)(target - (w->at + 4)));
  byte(w, 0xff), byte(w, 0xc9);
}

static void memory(struct writer *w, int opcode, int reg, int base, int offset) {
  byte(w, 0x48 | reg >> 3 << 2);
  byte(w, opcode);
  byte(w, 0x80 | (reg & 7) << 3 | base);
  dword(w, (uint32_t)offset);
}

static void phase(struct writer *w, const struct function *function, enum source from) {
  byte(w, 0x31), byte(w, 0xc9);
  for (int i = 0; i < 32; i++) {
    const struct instruction *slots = function->programs[i];
    const uint8_t *start = w->at;
    slot(w, slots[0], REGISTERS);
    for (int at = 1; at < 7; at++) slot(w, slots[at], from);
    // No other slot of a program writes to the register of the first.
    jump(w, start, REGISTER[slots[0].dst]);
    slot(w, slots[7], from);
    if (from != REGISTERS) continue;
    for (int j = 0; j < 8; j++) memory(w, 0x89, REGISTER[j], RSI, 2040 - 64 * i - 8 * j);
  }
}

static const uint8_t SAVE[] = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57};
static const uint8_t RESTORE[] = {0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3};

/** @param only_reads whether to write only the read phase, in the memory of one of eight lanes */
void hashwx_emit_x86(const struct function *function, uint8_t *code, int only_reads) {
  struct writer w = {code};
  bytes(&w, SAVE, sizeof SAVE);
  for (int j = 0; j < 10; j++) memory(&w, 0x8b, REGISTER[j], RDI, 8 * j);
  if (!only_reads) phase(&w, function, REGISTERS);
  phase(&w, function, only_reads ? MEMORY_OF_EIGHT : MEMORY);
  for (int j = 0; j < 8; j++) memory(&w, 0x89, REGISTER[j], RDI, 8 * j);
  bytes(&w, RESTORE, sizeof RESTORE);
}

void hashwx_compile_x86(struct function *function) { hashwx_emit_x86(function, function->code, 0); }

void hashwx_run_x86(const struct function *function, const uint64_t *nonces, int count, uint64_t *hashes) {
  void (*run)(uint64_t *, uint64_t *) = (void (*)(uint64_t *, uint64_t *))(uintptr_t)function->code;
  uint64_t r[10], memory_words[256];
  for (int i = 0; i < count; i++) {
    hashwx_begin(function, nonces[i], r);
    run(r, memory_words);
    hashes[i] = hashwx_end(r);
  }
}

#endif
