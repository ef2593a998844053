// POST /person/erase on the admin port: erases one person.

import type { FastifyInstance } from 'fastify';
import { PersonErasure, PersonRequest } from '../../person/person-bodies.js';
import { erasePerson } from '../../person/person-erasure.js';
import type { PersonPlaces } from '../../person/person-places.js';
import { refusalOf } from '../../steps/check-password.js';
import { requireOnePerson } from './one-person.js';

/** Must be registered in a scope that requires the API key. The address is in the body, because URLs are logged. */
export default async function erasePersonRoute(
  app: FastifyInstance,
  { places, trail }: { places: PersonPlaces; trail: Parameters<typeof erasePerson>[2] },
): Promise<void> {
  app.post<{ Body: PersonRequest }>(
    '/person/erase',
    {
      schema: {
        operationId: 'erasePerson',
        summary: 'End the sessions of one person and erase everything that is stored of them; repeatable',
        security: [{ apiKey: [] }],
        body: PersonRequest,
        response: { 200: PersonErasure },
      },
    },
    async (request): Promise<PersonErasure> => {
      requireOnePerson(request.body);
      return erasePerson(places, request.body, trail, request.id).catch((error: unknown) => {
        throw refusalOf(error, request.log);
      });
    },
  );
}
