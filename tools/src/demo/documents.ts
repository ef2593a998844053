// The project's documents as pages: README.md and docs/, at the paths that they have in the project.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { projectRoot } from '../launcher/local-environment.js';

/** The first segments of the paths of all documents. */
export const documentSegments = ['README.md', 'docs'] as const;

const mediaTypes: Readonly<Record<string, string>> = {
  '.md': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};
/** Examples are shown, and never run. */
const otherType = 'text/plain; charset=utf-8';

/**
 * Serves `/README.md` and the files of `docs/`. Markdown becomes a page, whose links lead to other documents, to its own
 * headings or out of the project; a link to a source file becomes plain text, because sources are not served.
 */
export async function serveDocuments(app: FastifyInstance): Promise<void> {
  const served = new Set(['README.md', ...listDocuments('docs')]);
  for (const path of served) {
    const extension = posix.extname(path);
    const mediaType = mediaTypes[extension] ?? otherType;
    app.get(`/${path}`, async (_request, reply) => {
      const text = await readFile(join(projectRoot, path), 'utf8');
      reply.type(mediaType);
      if (extension !== '.md') return text;
      // Loaded for the first document that somebody reads.
      const { renderDocument } = await import('./render-document.js');
      return renderDocument(path, text, served);
    });
  }
}

function listDocuments(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.')) return [];
    return entry.isDirectory() ? listDocuments(path) : [path];
  });
}
