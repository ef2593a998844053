// The worker's side of the pool: draws what it is handed, with the sprites it was started with.
import { workerData } from 'node:worker_threads';
import type { DrawingJob } from '../image/derivation.js';
import { drawImage } from '../image/draw.js';
import type { Sprites } from '../image/sprites.js';

const sprites = workerData as Sprites;

export default function draw(job: DrawingJob): Uint8Array {
  return drawImage(sprites, job);
}
