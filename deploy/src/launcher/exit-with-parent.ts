// Loaded into each service before its own code: when the launcher is gone, however it went, the service stops.

process.once('disconnect', () => {
  // Nobody reads the log any more, and its library would try for ever to write the rest of it on the way out.
  process.prependOnceListener('exit', () => process.kill(process.pid, 'SIGKILL'));
  process.kill(process.pid, 'SIGTERM');
});
// The channel itself is no reason to go on living.
process.channel?.unref();
