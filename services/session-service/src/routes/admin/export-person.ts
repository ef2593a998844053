// POST /person/export on the admin port: everything that is stored of one person.

import type { FastifyInstance } from 'fastify';
import { PersonExport, PersonRequest } from '../../person/person-bodies.js';
import { exportPerson } from '../../person/person-export.js';
import type { PersonPlaces } from '../../person/person-places.js';
import { refusalOf } from '../../steps/check-password.js';
import { requireOnePerson } from './one-person.js';

/** Must be registered in a scope that requires the API key. The address is in the body, because URLs are logged. */
export default async function exportPersonRoute(
  app: FastifyInstance,
  { places }: { places: PersonPlaces },
): Promise<void> {
  app.post<{ Body: PersonRequest }>(
    '/person/export',
    {
      schema: {
        operationId: 'exportPerson',
        summary: 'Export everything that is stored of one person, with explanations; also of a deleted user',
        security: [{ apiKey: [] }],
        body: PersonRequest,
        response: { 200: PersonExport },
      },
    },
    async (request): Promise<PersonExport> => {
      requireOnePerson(request.body);
      return exportPerson(places, request.body).catch((error: unknown) => {
        throw refusalOf(error, request.log);
      });
    },
  );
}
