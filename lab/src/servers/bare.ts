// The bare servers for comparison with routes: `node bare.js KIND [REDIS_URL]` prints its port and serves one route.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gatherCommands } from '@tollgate/shared/store';
import Fastify from 'fastify';
import { Redis } from 'ioredis';

const BODY = { id: 1, email: 'somebody@example.com' };

/** The minimum for issuing: count a limit, read a count, write a record, in one script on one slot. */
const SCRIPT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], 60000) end
local volume = redis.call('INCR', KEYS[2])
if volume == 1 then redis.call('PEXPIRE', KEYS[2], 900000) end
redis.call('GET', KEYS[3])
redis.call('SET', KEYS[4], ARGV[1], 'PX', 120000)
return count`;

const RECORD = 'x'.repeat(120);

/**
 * `script` and `check` write each command to the socket separately; those called `corked` write all commands of one turn of
 * the event loop together.
 */
type BareKind = 'http' | 'fastify' | 'script' | 'script-corked' | 'check' | 'check-corked';

async function serve(kind: BareKind, redisUrl: string): Promise<number> {
  if (kind === 'http') {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(BODY));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  }
  const app = Fastify();
  if (kind === 'fastify') app.get('/', async () => BODY);
  else {
    const redis = new Redis(redisUrl);
    // As in the services.
    if (kind.endsWith('-corked')) gatherCommands(redis);
    redis.defineCommand('issue', { lua: SCRIPT });
    const issue = (redis as unknown as Record<string, (...args: unknown[]) => Promise<number>>).issue!;
    let made = 0;
    app.get('/', async () => {
      made += 1;
      const count = await issue.call(redis, 4, '{a}limit', '{a}volume', '{a}fail', `{a}${made}`, RECORD);
      return { count };
    });
    app.post('/', async () => {
      made += 1;
      const record = await redis.getdel(`{a}${made}`);
      return { digest: createHash('sha256').update(`${record}${made}`).digest('hex') };
    });
  }
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

const [kind = 'http', redisUrl = ''] = process.argv.slice(2);
console.log(await serve(kind as BareKind, redisUrl));
