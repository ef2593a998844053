// A host application with one guarded route: prints its port. Its variables are those of the services.
import type { AddressInfo } from 'node:net';
import captchaHost from '@tollgate/shared/http/guard/captcha-host.js';
import { pow } from '@tollgate/shared/http/guard/guard.js';
import Fastify from 'fastify';

const app = Fastify();
await app.register(captchaHost, { host: 'bench', environment: process.env });
app.post('/', { config: { guards: [pow()] } }, async () => ({ sent: true }));
await app.listen({ host: '127.0.0.1', port: 0 });
console.log((app.server.address() as AddressInfo).port);
