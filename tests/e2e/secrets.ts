// The secrets of a run, which its log must not contain.

import type { Answer } from './client.js';

/** Shorter texts would occur at random. */
const SHORTEST = 6;

const SECRET_FIELDS = ['accessToken', 'token', 'salt', 'answer'];

export class Secrets {
  readonly #seen = new Set<string>();

  note(...texts: readonly string[]): void {
    for (const text of texts) if (text.length >= SHORTEST) this.#seen.add(text);
  }

  noteAnswer({ json, cookies }: Answer): void {
    for (const field of SECRET_FIELDS) {
      const value = json?.[field];
      if (typeof value === 'string') this.note(value);
    }
    for (const cookie of cookies) this.note(cookie.slice(cookie.indexOf('=') + 1).split(';')[0] ?? '');
  }

  get count(): number {
    return this.#seen.size;
  }

  /** The secrets that a text contains. */
  leaksIn(text: string): string[] {
    return [...this.#seen].filter((secret) => text.includes(secret));
  }
}
