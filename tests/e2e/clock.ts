// Loaded into a service by tests, before its own code: moves its clock ahead on request.

const realNow = Date.now;
let aheadMs = 0;

Date.now = () => realNow() + aheadMs;

process.on('message', (message: { aheadMs: number }) => {
  aheadMs = message.aheadMs;
  process.send?.(message);
});
