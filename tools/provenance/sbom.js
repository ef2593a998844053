// Software bills of materials in CycloneDX 1.6. The same content gives the same bytes: no random serial number, and a time
// only if SOURCE_DATE_EPOCH sets it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './packages.js';

/** The name of the file, everywhere: image scanners find it by its ending. */
export const sbomFile = 'sbom.cdx.json';

/**
 * Returns the document as text.
 * @param {object} subject the component that the document describes
 * @param {readonly object[]} components all components inside it, or all that it needs at run time
 * @param {'assemblies' | 'dependencies'} relation
 */
export function sbomOf(subject, components, relation = 'assemblies') {
  const { SOURCE_DATE_EPOCH: epoch } = process.env;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      ...(epoch && { timestamp: new Date(Number(epoch) * 1000).toISOString() }),
      lifecycles: [{ phase: 'build' }],
      tools: { components: [{ type: 'application', name: 'tollgate-build', version }] },
      component: subject,
    },
    components,
    dependencies: [{ ref: subject['bom-ref'], dependsOn: components.map((each) => each['bom-ref']) }],
    compositions: [{ aggregate: 'complete', [relation]: [subject['bom-ref']] }],
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

/** The component of an npm package. */
export function npmComponent({ name, version, licence, manifest }, type = 'library') {
  const [group, own] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type,
    'bom-ref': purl,
    ...(group && { group }),
    name: own,
    version,
    ...(manifest.description && { description: manifest.description }),
    licenses: licencesOf(licence),
    purl,
  };
}

/** @param {string} licence SPDX identifier or expression */
export function licencesOf(licence) {
  return /[ ()]/.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }];
}
