// An application with one guarded route, which prints its port. Its environment is that of the services.
import type { AddressInfo } from 'node:net';
import { challengeGuard, pow } from '@tollgate/fastify';
import Fastify from 'fastify';

const app = Fastify();
await app.register(challengeGuard, { application: 'bench', environment: process.env });
app.post('/', { config: { guards: [pow()] } }, async () => ({ sent: true }));
await app.listen({ host: '127.0.0.1', port: 0 });
console.log((app.server.address() as AddressInfo).port);
