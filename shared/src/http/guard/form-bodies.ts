// Parses the bodies of HTML forms, in addition to JSON.

import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BadRequest, BodyTooLarge, refuse } from '../errors/errors.js';

/** The options of the plugin. */
interface FormBodiesOptions {
  /** Whether to parse the fields of `multipart/form-data` too; true by default. Set it to false to receive files yourself. */
  readonly multipart?: boolean;
}

const MAX_FIELDS = 100;
const MAX_NAME_BYTES = 200;
const TOO_LARGE = 413;

async function parseForms(app: FastifyInstance, { multipart: parsesMultipart = true }: FormBodiesOptions) {
  await app.register(formbody);
  if (!parsesMultipart) return;
  await app.register(import('@fastify/multipart'));
  app.addHook('preValidation', async (request) => {
    if (request.isMultipart()) request.body = await fieldsOf(request);
  });
}

/**
 * Returns the fields by name, repeated ones as a list. Files are skipped. The plugin's `attachFieldsToBody: 'keyValues'` is
 * no replacement: it silently truncates a field at its limit, and has no limit on all parts together.
 */
async function fieldsOf(request: FastifyRequest): Promise<Record<string, unknown>> {
  const mostBytes = request.routeOptions.bodyLimit ?? 1_048_576;
  const fields = new Map<string, unknown[]>();
  const limits = {
    fields: MAX_FIELDS,
    parts: MAX_FIELDS,
    fieldNameSize: MAX_NAME_BYTES,
    fieldSize: mostBytes,
    fileSize: mostBytes,
  };
  let bytes = 0;
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file') {
        for await (const chunk of part.file) bytes += chunk.length;
        if (part.file.truncated) throw refuse(BodyTooLarge);
      } else {
        bytes += Buffer.byteLength(String(part.value));
        if (part.valueTruncated) throw refuse(BodyTooLarge);
        fields.set(part.fieldname, [...(fields.get(part.fieldname) ?? []), part.value]);
      }
      if (bytes > mostBytes) throw refuse(BodyTooLarge);
    }
  } catch (error) {
    const { statusCode } = error as { statusCode?: number };
    throw refuse(statusCode === TOO_LARGE ? BodyTooLarge : BadRequest);
  }
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

/**
 * Makes the routes of its scope accept `application/x-www-form-urlencoded` and `multipart/form-data`. Values are text; a
 * repeated field is a list, and files are skipped. The route's `bodyLimit`, in bytes, holds for all parts together: a
 * larger form, or one of more than 100 fields, is 413 `body_too_large`, and a malformed one 400 `bad_request`.
 */
export default fp(parseForms, { name: 'tollgate-form-bodies', fastify: '5.x' });
