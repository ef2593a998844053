// The worker thread of the image pool: draws jobs with the sprites from its worker data.
import { workerData } from 'node:worker_threads';
import type { DrawingJob } from '../image/derivation.js';
import { drawImage } from '../image/draw.js';
import type { Sprites } from '../image/sprites.js';

const sprites = workerData as Sprites;

export default function draw(job: DrawingJob): Uint8Array {
  return drawImage(sprites, job);
}
