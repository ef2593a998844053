// Loaded into a service before its own code: its clock moves when the drill says so.

const realNow = Date.now;
let aheadMs = 0;

Date.now = () => realNow() + aheadMs;

process.on('message', (message: { aheadMs: number }) => {
  aheadMs = message.aheadMs;
});
// Listening to messages must not keep a service running.
process.channel?.unref();
