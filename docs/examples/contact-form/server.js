// Starts the contact form; messages go to the standard output.
import { buildContactForm } from './app.js';

try {
  const app = await buildContactForm({
    environment: process.env,
    deliver: async (message) => console.log(JSON.stringify(message)),
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());
  const address = await app.listen({ port: Number(process.env.PORT ?? 3000) });
  console.log(`The contact form takes JSON: POST ${address}/contact`);
} catch (error) {
  for (const line of error.lines ?? [error.stack]) console.error(line);
  process.exitCode = 1;
}
