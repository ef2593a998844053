// Compiles each schema once per process, however many servers and routes use it: compiling takes most of the processor time
// of a server's start.

import AjvCompiler, { type BuildCompilerFromPool } from '@fastify/ajv-compiler';
import SerializerSelector, { type SerializerFactory } from '@fastify/fast-json-stringify-compiler';

// By the settings of a compiler and the schema.
const validators = new Map<string, unknown>();
const serializers = new Map<string, unknown>();

/**
 * Factories for `schemaController.compilersFactory` of Fastify. They compile like Fastify itself; servers with schemas and
 * options of equal JSON share the functions, so that functions among the options must be the same in all of them. The
 * schemas of headers must have lower-case names.
 */
export const sharedCompilers: {
  readonly buildValidator: BuildCompilerFromPool;
  readonly buildSerializer: SerializerFactory;
} = {
  buildValidator: (schemas, options) =>
    oncePerSchema(validators, [schemas, options], () => AjvCompiler()(schemas, options)),
  buildSerializer: (schemas, options) =>
    oncePerSchema(serializers, [schemas, options], () => SerializerSelector()(schemas, options)),
};

/** Compiles new combinations of settings and schema. @param open makes the compiler, at its first use */
function oncePerSchema<Part, Compiled>(
  compiled: Map<string, unknown>,
  settings: unknown,
  open: () => (part: Part) => Compiled,
): (part: Part) => Compiled {
  const place = JSON.stringify(settings);
  let compile: ((part: Part) => Compiled) | undefined;
  return (part) => {
    // Both kinds of parts contain the schema; a validator's declared type says that it is one.
    const { schema } = part as { readonly schema?: unknown };
    const key = `${place}\n${JSON.stringify(schema)}`;
    if (!compiled.has(key)) {
      compile ??= open();
      compiled.set(key, compile(part));
    }
    return compiled.get(key) as Compiled;
  };
}
