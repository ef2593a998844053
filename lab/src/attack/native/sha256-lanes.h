// A scan on vector lanes. Included once for each vector type, which defines SCAN, VECTOR, LANES, SPLAT, LOAD, ADD, ROR, SHR,
// XOR3, CHOOSE, MAJORITY and AT_MOST (a bit for each lane that is at most a limit), and TARGET.

// Schedule words that depend on the suffix; the others are in `fixed`.
#define VARIES(i) ((i) == 13 || (i) == 20 || (i) == 22 || (i) == 24 || (i) >= 26)

TARGET int SCAN(const struct sha256_prefix *p, uint32_t limit) {
  for (int first = 0; first < SUFFIXES; first += LANES) {
    VECTOR w[64], s[8];
    w[13] = LOAD(sha256_suffixes + first);
    for (int i = 0; i < 8; i++) s[i] = SPLAT(p->state13[i]);
    // In the 14th round the new a and e differ only by the suffix.
    s[0] = ADD(s[0], w[13]);
    s[4] = ADD(s[4], w[13]);
#pragma GCC unroll 64
    for (int i = 14; i < 64; i++) {
      VECTOR k;
      if (VARIES(i)) {
        w[i] = SPLAT(p->fixed[i]);
        if (VARIES(i - 16)) w[i] = ADD(w[i], w[i - 16]);
        if (VARIES(i - 15)) w[i] = ADD(w[i], XOR3(ROR(w[i - 15], 7), ROR(w[i - 15], 18), SHR(w[i - 15], 3)));
        if (VARIES(i - 7)) w[i] = ADD(w[i], w[i - 7]);
        if (VARIES(i - 2)) w[i] = ADD(w[i], XOR3(ROR(w[i - 2], 17), ROR(w[i - 2], 19), SHR(w[i - 2], 10)));
        k = ADD(w[i], SPLAT(SHA256_K[i]));
      } else {
        k = SPLAT(p->fixed[i] + SHA256_K[i]);
      }
      VECTOR t1 = ADD(ADD(s[7], k), ADD(XOR3(ROR(s[4], 6), ROR(s[4], 11), ROR(s[4], 25)), CHOOSE(s[4], s[5], s[6])));
      VECTOR t2 = ADD(XOR3(ROR(s[0], 2), ROR(s[0], 13), ROR(s[0], 22)), MAJORITY(s[0], s[1], s[2]));
      s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = ADD(s[3], t1);
      s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = ADD(t1, t2);
    }
    unsigned solved = AT_MOST(ADD(s[0], SPLAT(0x6a09e667)), limit);
    if (solved != 0) return first + __builtin_ctz(solved);
  }
  return -1;
}

#undef SCAN
#undef VECTOR
#undef LANES
#undef SPLAT
#undef LOAD
#undef ADD
#undef ROR
#undef SHR
#undef XOR3
#undef CHOOSE
#undef MAJORITY
#undef AT_MOST
#undef TARGET
#undef VARIES
