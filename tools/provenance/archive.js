// The bill of materials of a published package's archive.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { lockedPackage, withDependencies } from './locked.js';
import { readPackage, root } from './packages.js';
import { npmComponent, sbomFile, sbomOf } from './sbom.js';

/** Writes it to dist: an archive contains only our files, so it lists the packages that npm installs with it. */
export function writeArchiveSbom(folder) {
  const path = relative(root, folder).replaceAll('\\', '/');
  const needed = withDependencies([path], { optional: false }).filter((each) => each !== path);
  const components = needed.sort().map((each) => npmComponent(lockedPackage(each)));
  mkdirSync(join(folder, 'dist'), { recursive: true });
  const text = sbomOf(npmComponent(readPackage(folder)), components, 'dependencies');
  writeFileSync(join(folder, 'dist', sbomFile), text);
}
