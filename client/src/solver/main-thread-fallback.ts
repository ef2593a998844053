// The page's own thread in the place of workers: in chunks too short to be felt.

import { openKernel } from './kernel.js';
import type { CrewMember, MemberEvents } from './pool-worker.js';
import { tryLanes } from './try-lanes.js';

/** Half a frame. */
const sliceMs = 8;
let kernel: ReturnType<typeof openKernel> | undefined;

/** @param chunkSize the most hashes in a chunk */
export async function openStandIn(
  chunkSize: number,
  { onReply }: Pick<MemberEvents, 'onReply'>,
): Promise<CrewMember> {
  kernel ??= openKernel();
  const opened = await kernel;
  const assign = tryLanes(opened, { sliceMs, mostPerSlice: chunkSize }, (reply) => onReply(member, reply));
  const member: CrewMember = { path: opened.path, isLate: false, assign, end: () => assign(null) };
  return member;
}
