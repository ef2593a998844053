// What a challenge's image shows, derived under the draw key: without that key neither text nor effects can be computed.
import { createHmac } from 'node:crypto';
import type { ImagePreset } from '../presets/preset.js';

/** All that one image needs: the same job gives the same bytes wherever the same driver made the sprites. */
export type DrawingJob = {
  text: string;
  /** 32 bytes that decide every effect. */
  effectsSeed: Uint8Array;
  preset: ImagePreset;
};

/**
 * The characters of a challenge, in the case in which they are shown; each equally likely.
 * For the drawing side alone: a checker compares scrambled answers.
 *
 * @param drawKey the key of the drawing side, never the answer key
 * @param token the challenge's token
 * @param seed the record's seed, a whole number from 0 up to 2^53 - 1
 * @throws RangeError when the seed is not such a number
 */
export function answerText(drawKey: Uint8Array, token: string, seed: number, preset: ImagePreset): string {
  const { alphabet, length } = preset.phrase;
  // Bytes from here on are thrown away, so that the remainder favours no character.
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
 * The drawing job of a challenge; parameters and errors as for `answerText`.
 * @param text what the image shows, when it is not the characters derived here
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
  // A copy: a Buffer may sit in a shared pool, which would travel to the worker whole.
  return new Uint8Array(mac);
}
