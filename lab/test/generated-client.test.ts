// Clients generated from the OpenAPI documents: the documents are valid, the clients compile strictly, and one logs in.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { compile } from '@tollgate/test-support/compiler.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { documentedResponse, type OpenApi, WITHOUT_CONTENT } from '@tollgate/tests/e2e/contract.js';
import { CHEAP, onRedis, type Site } from '@tollgate/tests/e2e/site.js';
import { type OpenApiDocument, openApiDocuments } from '@tollgate/tools/docs/openapi-documents.js';
import { generateApi } from 'swagger-typescript-api';
import t, { type Test } from 'tap';

/** Fields and parameters had no type, so a client accepted anything for them. */
const USES = `
const account = { email: 'a@b.example', password: 'x' };
new Sessions().login.logIn({ ...account, pow_token: 'A', pow_nonce: '1', captcha_token: 'B', captcha: 'C' });
// @ts-expect-error
new Sessions().login.logIn({ ...account, pow_token: 1 });
// @ts-expect-error
new Sessions().login.logIn({ ...account, pow_nonce: 1 });
// @ts-expect-error
new Sessions().login.logIn({ ...account, captcha_token: 1 });
// @ts-expect-error
new Sessions().login.logIn({ ...account, captcha: 1 });
new Challenges().api.issueProofOfWork({ scope: 'A', min_difficulty: 18 });
// @ts-expect-error
new Challenges().api.issueProofOfWork({ scope: 1 });
new Challenges().api.issueImage({ preset: 'large', scope: 'A' });
// @ts-expect-error
new Challenges().api.issueImage({ preset: 1 });
new Application().host.verifySubmission({ pow_token: 'A', pow_nonce: '1', key: 'a' });
new Application().host.verifySubmission({ submission: { pow_token: 'A', email: 'a' }, key: 'a' });
// @ts-expect-error
new Application().host.verifySubmission({ pow_token: 1 });
`;

const documents = await openApiDocuments();
const folder = tempDir(t);

t.test('the documents are valid OpenAPI 3.1', async (t) => {
  for (const [name, document] of Object.entries(documents)) {
    const result = await new Validator().validate(structuredClone(document) as never);
    t.strictSame([name, result.valid, result.errors ?? []], [name, true, []]);
  }
});

t.test('every operation has a unique name, and each error its status', async (t) => {
  for (const [service, document] of Object.entries(documents)) {
    const { paths } = document;
    const operations = Object.values(paths).flatMap((item) => Object.entries(item)) as [
      method: string,
      operation: OpenApi['paths'][string][string] & { operationId?: string },
    ][];
    const names = operations.map(([, { operationId }]) => operationId);
    t.notOk(names.includes(undefined), service);
    t.equal(new Set(names).size, names.length, service);
    for (const [method, operation] of operations) {
      const { operationId, responses } = operation;
      t.notOk('default' in responses, service);
      for (const status of Object.keys(responses)) {
        const { headers = {}, content = {} } =
          documentedResponse(document as unknown as OpenApi, operation, status) ?? {};
        const what = `${operationId} ${status}`;
        t.ok('Cache-Control' in headers, what);
        if (method === 'head' || WITHOUT_CONTENT.includes(Number(status))) continue;
        const schemas = Object.values(content).map(({ schema }) => schema);
        t.ok(schemas.length > 0 && !schemas.includes(undefined), `${what} has a schema`);
      }
    }
  }
});

t.test('metrics and health were missing from the documents', async (t) => {
  for (const admin of ['session-service-admin', 'challenge-service-admin'] as const) {
    t.match(documents[admin].paths, {
      '/metrics': { get: Object },
      '/health/live': { get: Object },
      '/health/ready': { get: Object },
    });
  }
});

t.test('a client generated from each document compiles in strict mode', async (t) => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const files = await Promise.all(
    Object.entries(documents).map(async ([name, document]) => {
      const path = join(folder, `${name}.ts`);
      writeFileSync(path, await clientOf(document));
      return path;
    }),
  );
  files.push(join(folder, 'uses.ts'));
  const clients = {
    Application: 'challenge-service-admin',
    Challenges: 'challenge-service',
    Sessions: 'session-service',
  };
  const imports = Object.entries(clients).map(
    ([name, file]) => `import { Api as ${name} } from ${JSON.stringify(`./${file}.js`)};\n`,
  );
  writeFileSync(join(folder, 'uses.ts'), imports.join('') + USES);
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
  const libraries = ['--lib', 'es2023,dom,dom.iterable'];
  t.equal(compile([...options, ...libraries, ...files], folder), '');
});

t.test('a generated client logs in', (t) => onRedis(t, CHEAP, signIn));

async function signIn(t: Test, site: Site): Promise<void> {
  const load = async (name: string) =>
    new (await import(pathToFileURL(join(folder, `${name}.js`)).href)).Api({ baseUrl: site.system.address });
  const [challenge, session] = [await load('challenge-service'), await load('session-service')];
  const { email, password } = await site.newUser();
  const { data: issued } = await challenge.api.issueProofOfWork();
  t.match(issued, { algorithm: 'sha256', salt: /^[0-9a-f]{32}$/ });
  const work = await site.work();
  const { data: tokens, headers } = await session.login.logIn({ email, password, ...work });
  t.match(tokens, { accessToken: String, expiresIn: Number });
  t.ok(headers.get('set-cookie'));
  const bearer = { headers: { authorization: `Bearer ${tokens.accessToken}` } };
  t.equal((await session.profile.readProfile(bearer)).data.email, email);
  const refused = await session.login
    .logIn({ email, password: 'wrong', ...(await site.work()) })
    .catch((answer: { status: number; error: object }) => answer);
  t.match(refused, { status: 422, error: { code: 'login_failed', captcha_required: false } });
}

/** The client as TypeScript. */
async function clientOf(document: OpenApiDocument): Promise<string> {
  const { files } = await generateApi({
    fileName: 'client.ts',
    output: false,
    spec: structuredClone(document) as never,
    httpClientType: 'fetch',
    silent: true,
  });
  const [file] = files;
  if (file === undefined) throw new Error('no client was generated');
  return file.fileContent;
}
