// Derives the text and the effects of an image from the draw key: without that key, neither can be computed.
import { createHmac } from 'node:crypto';
import type { ImagePreset } from '../presets/preset.js';

/** The complete input of one image. The same job gives the same bytes wherever the same driver made the sprites. */
export type DrawingJob = {
  text: string;
  /** 32 bytes that decide every effect. */
  effectsSeed: Uint8Array;
  preset: ImagePreset;
};

/**
 * Derives the characters of a challenge, in the case in which they are shown; all are equally likely.
 * Only the drawing side needs them: verification compares scrambled answers.
 *
 * @param drawKey the key of the drawing side, never the answer key
 * @param token the challenge's token
 * @param seed the record's seed, a whole number from 0 up to 2^53 - 1
 * @throws RangeError if the seed is not such a number
 */
export function answerText(drawKey: Uint8Array, token: string, seed: number, preset: ImagePreset): string {
  const { alphabet, length } = preset.phrase;
  // Higher bytes are rejected, because their remainder would favour the first characters.
  const fairBytes = 256 - (256 % alphabet.length);
  let text = '';
  for (let block = 0; text.length < length; block++) {
    for (const byte of derive(drawKey, 'text', token, seed, block)) {
      if (byte < fairBytes && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/**
 * Derives the drawing job of a challenge; parameters and errors as for `answerText`.
 * @param text the text in the image, if not the characters derived here
 */
export function drawingJob(
  drawKey: Uint8Array,
  token: string,
  seed: number,
  preset: ImagePreset,
  text = answerText(drawKey, token, seed, preset),
): DrawingJob {
  return {
    text,
    effectsSeed: derive(drawKey, 'effects', token, seed, 0),
    preset,
  };
}

function derive(
  drawKey: Uint8Array,
  purpose: string,
  token: string,
  seed: number,
  block: number,
): Uint8Array {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError('an image seed is a whole number from 0 up');
  const mac = createHmac('sha256', drawKey).update(`${purpose}\0${token}\0${seed}\0${block}`).digest();
  // A copy: a Buffer may be part of a shared pool, which would be cloned to the worker as a whole.
  return new Uint8Array(mac);
}
