// Loaded into a service by the tests, before its own code: its clock moves ahead when they say so.

const realNow = Date.now;
let aheadMs = 0;

Date.now = () => realNow() + aheadMs;

process.on('message', (message: { aheadMs: number }) => {
  aheadMs = message.aheadMs;
  process.send?.(message);
});
