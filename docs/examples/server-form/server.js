// Starts the form; messages go to the standard output.
import { buildServerForm } from './app.js';

try {
  const app = await buildServerForm({
    environment: process.env,
    deliver: async (text) => console.log(JSON.stringify({ text })),
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());
  console.log(`The form is at ${await app.listen({ port: Number(process.env.PORT ?? 3000) })}/contact`);
} catch (error) {
  for (const line of error.lines ?? [error.stack]) console.error(line);
  process.exitCode = 1;
}
