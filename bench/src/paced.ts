// Sends requests with pauses, so that response times do not include queues of the client's own making.

const PAUSE_MS = 5;

/**
 * @param clients clients at the same time; each sends one request after the other
 * @param requests requests of each client
 * @param send sends one request of a client; its errors end the measurement
 * @returns the response times in ms
 */
export async function sendPaced(
  clients: number,
  requests: number,
  send: (client: number) => Promise<void>,
): Promise<number[]> {
  const times: number[] = [];
  const sendAll = async (_: unknown, client: number) => {
    for (let count = 0; count < requests; count++) {
      const startedMs = performance.now();
      await send(client);
      times.push(performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  await Promise.all(Array.from({ length: clients }, sendAll));
  return times;
}
