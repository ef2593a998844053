// The OpenAPI description.

import { Type } from '@sinclair/typebox';
import t from 'tap';
import openapi from '../../../src/http/server/openapi.js';
import { ErrorBody } from '../../../src/schemas/error-body.js';
import { buildSharedApp } from '../shared-app.js';

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
  t.equal(get.responses['4XX'].content['application/json'].schema.$ref, '#/components/schemas/ErrorBody');
  t.match(document.components.schemas.ErrorBody, { required: ['message', 'code'] });
});
