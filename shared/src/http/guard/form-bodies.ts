// Reads the bodies of HTML forms, beside JSON.

import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BadRequest, BodyTooLarge, refuse } from '../errors/errors.js';

export interface FormBodiesOptions {
  /** Whether the fields of `multipart/form-data` are read too; true by default. An application that takes files does that itself. */
  readonly multipart?: boolean;
}

const MOST_FIELDS = 100;
const LONGEST_NAME_BYTES = 200;
const TOO_LARGE = 413;

async function readForms(app: FastifyInstance, { multipart: readsFields = true }: FormBodiesOptions) {
  await app.register(formbody);
  if (!readsFields) return;
  await app.register(multipart);
  app.addHook('preValidation', async (request) => {
    if (request.isMultipart()) request.body = await fieldsOf(request);
  });
}

/** The fields by name, one that comes twice as a list. Files are passed over. */
async function fieldsOf(request: FastifyRequest): Promise<Record<string, unknown>> {
  const mostBytes = request.routeOptions.bodyLimit ?? 1_048_576;
  const fields = new Map<string, unknown[]>();
  const limits = {
    fields: MOST_FIELDS,
    parts: MOST_FIELDS,
    fieldNameSize: LONGEST_NAME_BYTES,
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
 * Adds `application/x-www-form-urlencoded` and `multipart/form-data` to what the routes of its scope read. A field that
 * comes twice is a list; the limit of the body holds for the whole of it (413).
 */
export default fp(readForms, { name: 'tollgate-form-bodies', fastify: '5.x' });
