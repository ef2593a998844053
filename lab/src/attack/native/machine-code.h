// Writes machine code, byte by byte.

#ifndef MACHINE_CODE_H
#define MACHINE_CODE_H

#include <stdint.h>
#include <string.h>

struct writer {
  uint8_t *at;
};

static inline void bytes(struct writer *w, const void *text, size_t length) {
  memcpy(w->at, text, length);
  w->at += length;
}

static inline void byte(struct writer *w, int value) { *w->at++ = (uint8_t)value; }

/** Four bytes, least significant first, as the processor reads them. */
static inline void dword(struct writer *w, uint32_t value) { bytes(w, &value, 4); }

#endif
