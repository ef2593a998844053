// Adds a field to the Vary header without losing those that are there.

import type { FastifyReply } from 'fastify';

/** Adds the name of a request header to `Vary` unless it, or `*`, is there already. */
export function appendVary(reply: FastifyReply, field: string): void {
  const present = String(reply.getHeader('vary') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (present.some((name) => name === '*' || name.toLowerCase() === field.toLowerCase())) return;
  reply.header('vary', [...present, field].join(', '));
}
