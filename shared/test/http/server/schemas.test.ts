// Schemas: compiled once for all servers of a process, and described in OpenAPI.

import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import openapi from '../../../src/http/server/openapi.js';
import { sharedCompilers } from '../../../src/http/server/schema-compilers.js';
import { ErrorBody } from '../../../src/schemas/error-body.js';
import { buildSharedApp } from '../shared-app.js';

/** Opens a server with a route for these request and response schemas. */
function open(t: Test, schema: { body: object; answer: object }, named: readonly object[] = []) {
  const app = Fastify({ schemaController: { compilersFactory: sharedCompilers } });
  t.teardown(() => app.close());
  for (const one of named) app.addSchema(one);
  app.post('/', { schema: { body: schema.body, response: { 200: schema.answer } } }, (request, reply) =>
    reply.send(request.body),
  );
  return async (body: object) => {
    const { statusCode, payload } = await app.inject({ method: 'POST', url: '/', body });
    return [statusCode, statusCode === 200 ? JSON.parse(payload) : undefined];
  };
}

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const number = object({ n: { type: 'number' } }, { required: ['n'] });
const short = object({ n: { type: 'string', maxLength: 1 } });

t.test('servers with the same schemas reject and respond alike, also in parallel', async (t) => {
  const post = [1, 2, 3].map(() => open(t, { body: number, answer: number }));
  const answers = await Promise.all(
    post.flatMap((send) => [send({ n: 1, more: 2 }), send({ n: [] }), send({})]),
  );
  t.strictSame(
    answers,
    post.flatMap(() => [
      [200, { n: 1 }],
      [400, undefined],
      [400, undefined],
    ]),
  );
});

t.test('a server with different schemas keeps its own', async (t) => {
  const [first, second] = [number, short].map((body) => open(t, { body, answer: number }));
  t.strictSame(await first?.({ n: 12 }), [200, { n: 12 }]);
  t.strictSame(await second?.({ n: '12' }), [400, undefined]);
  t.strictSame(await second?.({ n: '1' }), [200, { n: 1 }]);
});

t.test('schemas of one name, and those that refer to them, may differ between servers', async (t) => {
  const reference = { $ref: 'Named#' };
  const [numbers, texts] = [number, short].map((schema) =>
    open(t, { body: reference, answer: reference }, [{ $id: 'Named', ...schema }]),
  );
  t.strictSame(await numbers?.({ n: 12, more: 1 }), [200, { n: 12 }]);
  t.strictSame(await texts?.({ n: '12' }), [400, undefined]);
  t.strictSame(await texts?.({ n: '1', more: 1 }), [200, { n: '1' }]);

  const [named, other] = [number, short].map((schema) =>
    open(t, { body: { $id: 'Own', ...schema }, answer: schema }),
  );
  t.strictSame(await named?.({ n: 12 }), [200, { n: 12 }]);
  t.strictSame(await other?.({ n: '12' }), [400, undefined]);
});

// The OpenAPI description.

t.test('/openapi.json is generated from the route schemas', async (t) => {
  const { app } = await buildSharedApp(t, async (app) => {
    await app.register(openapi, {
      title: 'Sample',
      version: '1.2.3',
      description: 'A sample',
      serverUrl: 'https://example.com/auth',
    });
    app.addSchema(ErrorBody);
    const schema = {
      summary: 'A thing',
      params: Type.Object({ id: Type.String() }),
      response: { 200: Type.Object({ ok: Type.Boolean() }), '4xx': Type.Ref('ErrorBody') },
    };
    app.get('/things/:id', { schema }, async () => ({ ok: true }));
  });
  const response = await app.inject('/openapi.json');
  t.equal(response.statusCode, 200);
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  const document = response.json();
  t.equal(document.openapi, '3.1.0');
  t.match(document.info, { title: 'Sample', version: '1.2.3', description: /^A sample\. HEAD .* 405 / });
  t.same(document.servers, [{ url: 'https://example.com/auth' }]);
  t.same(Object.keys(document.paths), ['/things/{id}'], 'neither itself nor the preflights');
  const { get, ...others } = document.paths['/things/{id}'];
  t.same(others, {}, 'HEAD goes without saying');
  t.equal(get.summary, 'A thing');
  t.match(get.parameters, [{ in: 'path', name: 'id', required: true }]);
  t.equal(get.responses['200'].description, 'OK');
  t.equal(get.responses['4XX'].content['application/json'].schema.$ref, '#/components/schemas/ErrorBody');
  t.match(document.components.schemas.ErrorBody, { required: ['message', 'code'] });
});

t.test('a schema with a name is described once, with what its routes accept', async (t) => {
  const n = Type.Integer();
  const state = Type.Union([Type.Literal('on'), Type.Literal('off')]);
  const Part = Type.Object({ n, state: Type.Optional(state) }, { $id: 'Part' });
  const Whole = Type.Object({ parts: Type.Array(Part), open: Type.Unknown() }, { $id: 'Whole' });
  const { app } = await buildSharedApp(t, async (app) => {
    await app.register(openapi, { title: 'Sample', version: '1', description: 'A sample', serverUrl: '/' });
    for (const url of ['/one', '/two']) {
      app.post(url, { schema: { body: Whole, response: { 200: Part } } }, async () => ({ n: 1 }));
    }
  });
  const { paths, components } = (await app.inject('/openapi.json')).json();
  for (const { post } of [paths['/one'], paths['/two']]) {
    t.strictSame(post.requestBody.content['application/json'].schema, { $ref: '#/components/schemas/Whole' });
    t.strictSame(post.responses['200'].content['application/json'].schema, {
      $ref: '#/components/schemas/Part',
    });
  }
  const { Whole: whole, Part: part } = components.schemas;
  t.strictSame(whole.properties.parts.items, { $ref: '#/components/schemas/Part' });
  t.equal(whole.properties.open.type, 'string');
  t.strictSame(part.properties, {
    n: { type: 'integer' },
    state: { type: 'string', enum: ['on', 'off'] },
  });
});
