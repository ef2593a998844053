// The attacker's side of `npm run bench -- attack`. Each command prints lines of words:
//   engines                                            the engines of this processor: algorithm, name
//   hash ENGINE                                        HashWX hashes in hexadecimal; reads lines of a seed and 1–8 nonces
//   solve-sha256 ENGINE SALT BITS                      a nonce
//   solve-hashwx ENGINE SALT PART_HASHES NONCES        four numbers joined by dots; NONCES of a function
//   rates ROUNDS                                       for each engine and round: algorithm, name, hashes, nanoseconds of
//                                                      processor time for them, and for the HashWX function before them
// ENGINE is the line number of an engine among the lines of its algorithm in `engines`, from 0.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "attack.h"

#define BATCH 512
/** Scans of SHA-256 in a round: about a million hashes. */
#define SCANS 1000
/** Nonces of HashWX in a round. */
#define NONCES 16384

static struct sha256_engine sha256[4];
static struct hashwx_engine hashwx[4];
static int sha256_count, hashwx_count;
static struct function function;

static uint64_t processor_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void read_hex(uint8_t *bytes, size_t count, const char *digits) {
  for (size_t i = 0; i < count; i++) {
    char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
    bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
  }
}

/** Generates the function of a part and a block of a challenge, whose salt is in the message. */
static void make(const struct hashwx_engine *engine, uint8_t message[53], int part, uint32_t block) {
  uint8_t seed[32];
  message[48] = (uint8_t)part;
  for (int i = 0; i < 4; i++) message[49 + i] = (uint8_t)(block >> (24 - 8 * i));
  sha256_short(message, 53, seed);
  hashwx_make(&function, seed);
  if (engine->compile != NULL) engine->compile(&function);
}

static void hash(const struct hashwx_engine *engine) {
  char line[512];
  while (fgets(line, sizeof line, stdin) != NULL) {
    uint8_t seed[32];
    read_hex(seed, 32, strtok(line, " \n"));
    hashwx_make(&function, seed);
    if (engine->compile != NULL) engine->compile(&function);
    uint64_t nonces[8] = {0}, hashes[8];
    int count = 0;
    for (const char *word; count < 8 && (word = strtok(NULL, " \n")) != NULL;) nonces[count++] = strtoull(word, NULL, 10);
    engine->hash(&function, nonces, 8, hashes);
    for (int i = 0; i < count; i++) printf("%016llx\n", (unsigned long long)hashes[i]);
  }
}

static const uint64_t FIRST_HIGH = 10000000000000000000u;

static void solve_sha256(const struct sha256_engine *engine, const char *salt, int bits) {
  struct sha256_prefix prefix;
  const uint32_t limit = (uint32_t)(((uint64_t)1 << (32 - bits)) - 1);
  for (uint64_t high = FIRST_HIGH;; high++) {
    sha256_prepare(&prefix, salt, high);
    int suffix = engine->scan(&prefix, limit);
    if (suffix < 0) continue;
    printf("%llu%03d\n", (unsigned long long)high, suffix);
    return;
  }
}

static uint64_t solve_part(const struct hashwx_engine *engine, uint8_t message[53], int part, uint64_t limit, uint32_t per_function) {
  uint64_t nonces[BATCH], hashes[BATCH];
  for (uint32_t block = 0;; block++) {
    make(engine, message, part, block);
    for (uint32_t n = 0; n < per_function; n += 8) {
      for (uint32_t i = 0; i < 8; i++) nonces[i] = (uint64_t)block * per_function + n + i;
      engine->hash(&function, nonces, 8, hashes);
      for (uint32_t i = 0; i < 8 && n + i < per_function; i++) {
        if (hashes[i] < limit) return nonces[i];
      }
    }
  }
}

static void solve_hashwx(const struct hashwx_engine *engine, const char *salt, uint64_t part_hashes, uint32_t per_function) {
  uint8_t message[53] = "captcha-hashwx-1";
  read_hex(message + 16, 32, salt);
  // 2^64 divided by the expected hashes, for every number above 1.
  const uint64_t limit = ~(uint64_t)0 / part_hashes + (~(uint64_t)0 % part_hashes == part_hashes - 1);
  for (int part = 0; part < 4; part++) {
    printf("%s%llu", part == 0 ? "" : ".", (unsigned long long)solve_part(engine, message, part, limit, per_function));
  }
  printf("\n");
}

static void rate_sha256(const struct sha256_engine *engine, int round) {
  static struct sha256_prefix prefix;
  uint64_t started = processor_ns();
  int found = 0;
  for (uint64_t i = 0; i < SCANS; i++) {
    sha256_prepare(&prefix, "0123456789abcdef0123456789abcdef", FIRST_HIGH + i + (uint64_t)round * SCANS);
    found += engine->scan(&prefix, 0) >= 0;
  }
  uint64_t ns = processor_ns() - started;
  if (found == 0) printf("sha256\t%s\t%d\t%llu\t0\n", engine->name, SCANS * SUFFIXES, (unsigned long long)ns);
}

static void rate_hashwx(const struct hashwx_engine *engine, int round) {
  uint8_t message[53] = "captcha-hashwx-1";
  uint64_t nonces[BATCH], hashes[BATCH], least = ~(uint64_t)0;
  uint64_t started = processor_ns();
  make(engine, message, 0, (uint32_t)round);
  uint64_t made = processor_ns();
  for (uint64_t from = 0; from < NONCES; from += BATCH) {
    for (uint64_t i = 0; i < BATCH; i++) nonces[i] = from + i;
    engine->hash(&function, nonces, BATCH, hashes);
    for (int i = 0; i < BATCH; i++) least = hashes[i] < least ? hashes[i] : least;
  }
  uint64_t ended = processor_ns();
  if (least != 0) {
    printf("hashwx\t%s\t%d\t%llu\t%llu\n", engine->name, NONCES, (unsigned long long)(ended - made), (unsigned long long)(made - started));
  }
}

int main(int count, char **words) {
  void *code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  function.code = code == MAP_FAILED ? NULL : code;
  sha256_count = sha256_engines(sha256);
  hashwx_count = hashwx_engines(hashwx, function.code);
  const char *command = count > 1 ? words[1] : "";
  const int engine = count > 2 ? atoi(words[2]) : 0;
  if (strcmp(command, "engines") == 0) {
    for (int i = 0; i < sha256_count; i++) printf("sha256\t%s\n", sha256[i].name);
    for (int i = 0; i < hashwx_count; i++) printf("hashwx\t%s\n", hashwx[i].name);
  } else if (strcmp(command, "rates") == 0) {
    for (int round = 0; round < engine; round++) {
      for (int i = 0; i < sha256_count; i++) rate_sha256(&sha256[i], round);
      for (int i = 0; i < hashwx_count; i++) rate_hashwx(&hashwx[i], round);
    }
  } else if (strcmp(command, "hash") == 0 && count == 3 && engine < hashwx_count) {
    hash(&hashwx[engine]);
  } else if (strcmp(command, "solve-sha256") == 0 && count == 5 && engine < sha256_count) {
    solve_sha256(&sha256[engine], words[3], atoi(words[4]));
  } else if (strcmp(command, "solve-hashwx") == 0 && count == 6 && engine < hashwx_count) {
    solve_hashwx(&hashwx[engine], words[3], strtoull(words[4], NULL, 10), (uint32_t)atoi(words[5]));
  } else {
    fprintf(stderr, "usage: see the head of main.c\n");
    return 1;
  }
  return 0;
}
