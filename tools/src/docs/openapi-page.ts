// Writes an OpenAPI document as readable YAML: short values on one line, no anchors.
import { Document, isCollection, isPair, visit } from 'yaml';
import type { OpenApiDocument } from './openapi-documents.js';

/** Maximum characters of a map or list on one line. */
const SHORT_CHARACTERS = 80;

/** Returns the document as YAML. */
export function openApiPage(document: OpenApiDocument): string {
  const yaml = new Document(document, { aliasDuplicateObjects: false });
  visit(yaml, {
    Collection(_key, node) {
      const isFlat = node.items.every((item) => !isCollection(isPair(item) ? item.value : item));
      node.flow = isFlat && JSON.stringify(node).length <= SHORT_CHARACTERS;
    },
  });
  return yaml.toString({ lineWidth: 110, singleQuote: true });
}
