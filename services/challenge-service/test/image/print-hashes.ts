// Separate process: prints the driver identity and the hashes of twenty images.
import { drawImage } from '../../src/image/draw.js';
import { hashOf, sampleJob, startDriver } from './samples.js';

const { sprites, identity } = await startDriver();
const hashes = Array.from({ length: 20 }, (_, seed) => hashOf(drawImage(sprites, sampleJob(seed))));
console.log(JSON.stringify({ identity, hashes }));
