// Loaded into a service before its own code: moves its clock for the drill, and ends it when the drill has ended.

const realNow = Date.now;
let aheadMs = 0;

Date.now = () => realNow() + aheadMs;

process.on('message', (message: { aheadMs: number }) => {
  aheadMs = message.aheadMs;
});
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// The channel itself must not keep a service running.
process.channel?.unref();
