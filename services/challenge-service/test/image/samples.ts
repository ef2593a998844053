// Image test fixtures: sprites of this machine's driver, and numbered jobs.
import { createHash } from 'node:crypto';
import { type DrawingJob, drawingJob } from '../../src/image/derivation.js';
import { drawImage } from '../../src/image/draw.js';
import { rasteriseSprites, type Sprites } from '../../src/image/sprites.js';
import { defaultPreset, type ImagePreset } from '../../src/presets/preset.js';
import { type DriverName, loadDriver } from '../../src/renderer/driver.js';
import { identifyDriver } from '../../src/renderer/driver-identity.js';

export const drawKey = new Uint8Array(32).fill(0x5a);
export const token = 'a0B1c2D3e4F5g6H7i8J9k0L1m2N3o4P5q6R7s8T9';

/** Returns the job for a seed, with the tests' key and token. */
export function sampleJob(seed: number, preset: ImagePreset = defaultPreset): DrawingJob {
  return drawingJob(drawKey, token, seed, preset);
}

/** Loads the named driver, or this machine's default one, and returns its sprites and identity. */
export async function startDriver(name?: DriverName): Promise<{ sprites: Sprites; identity: string }> {
  const driver = loadDriver(name);
  if (!driver) throw new Error('no image library is installed');
  const sprites = await rasteriseSprites(driver);
  return { sprites, identity: await identifyDriver(driver, (job) => drawImage(sprites, job)) };
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
