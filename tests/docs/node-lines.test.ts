// The README's statements on Node match the manifests, the lock file, the images and `npm run test:nodes`.
import { join } from 'node:path';
import t from 'tap';
import { readProjectFile } from './project-file.js';

type Version = readonly [major: number, minor: number];
interface LockedPackage {
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readme = readProjectFile('README.md');
const [, recommended = '', oldest = '', refusing = '', wanted = ''] =
  /You need Node (\d+), the current LTS.*\((\d+\.\d+) and newer work, .* that (\w+) dependencies want Node (\d+)\.\)/.exec(
    readme,
  ) ?? [];
const lines = {
  // A line means its newest version.
  recommended: versionOf(`${recommended}.99`),
  oldest: versionOf(oldest),
  wanted: versionOf(`${wanted}.99`),
};
const packages: Readonly<Record<string, LockedPackage>> = JSON.parse(
  readProjectFile('package-lock.json'),
).packages;

t.test('a package required a newer Node than the README, with a warning at the installation', async (t) => {
  const unhappy = (version: Version) =>
    Object.entries(packages)
      .filter(([, { engines }]) => engines?.node !== undefined && !accepts(engines.node, version))
      .map(([path]) => path.split('node_modules/').at(-1) ?? '');
  t.strictSame(unhappy(lines.recommended), [], 'no warning on the recommended line');
  t.strictSame(unhappy(lines.wanted), []);
  const warned = unhappy(lines.oldest);
  t.equal(warned.length, ['no', 'one', 'two', 'three', 'four'].indexOf(refusing), warned.join());
  const ours = Object.entries(packages)
    .filter(([path]) => !path.includes('node_modules/'))
    .flatMap(([, { dependencies, devDependencies }]) => Object.keys({ ...dependencies, ...devDependencies }));
  t.strictSame(
    warned.filter((name) => ours.includes(name)),
    [],
    'none of them is in a manifest of ours',
  );
});

t.test('the manifests, the images and test:nodes have the Node lines of the README', async (t) => {
  const manifests = Object.keys(packages)
    .filter((path) => !path.includes('node_modules/'))
    .map((path) => JSON.parse(readProjectFile(join(path, 'package.json'))));
  // The browser package names no Node.
  t.strictSame([...new Set(manifests.flatMap(({ engines }) => engines?.node ?? []))], [`>=${oldest}`]);
  t.equal(manifests[0]?.scripts['test:nodes'], 'node tools/test-nodes.js');
  t.match(
    readProjectFile('deploy/Dockerfile'),
    new RegExp(`^ARG NODE_IMAGE=node:${recommended}(?:[.]\\d+)*-trixie-slim$`, 'm'),
  );
  const promised = /^const promisedLines = \[(.*)\];$/m.exec(readProjectFile('tools/test-nodes.js'))?.[1];
  const tried = [...(promised ?? '').matchAll(/'(\d+)'/g)].map(([, line = '']) => line);
  t.equal(tried[0], String(lines.oldest[0]));
  t.ok(tried.includes(recommended));
  const named = /on each supported line of Node: (.*), with the programs/.exec(
    readProjectFile('docs/contributing.md'),
  )?.[1];
  t.equal(named, [`${oldest} and newer`, ...tried.slice(1)].join(', ').replace(/, (\d+)$/, ' and $1'));
});

function versionOf(text: string): Version {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  if (major === undefined) throw new Error(`the README has no version at "${text}"`);
  return [Number(major), Number(minor)];
}

/** Returns whether a range of `engines` accepts a version; majors and minors decide. */
function accepts(range: string, [major, minor]: Version): boolean {
  return range.split('||').some((part) =>
    [...part.matchAll(/([<>=^~]*)\s*(\d+|\*)(?:\.(\d+|x))?(?:\.(?:\d+|x))?/g)].every(
      ([, operator = '', first = '', second = '0']) => {
        if (first === '*') return true;
        const distance = major - Number(first) || minor - (Number(second) || 0);
        if (operator === '>=') return distance >= 0;
        if (operator === '<') return distance < 0;
        if (operator === '' || operator === '^') return major === Number(first) && distance >= 0;
        throw new Error(`unsupported range: ${range}`);
      },
    ),
  );
}
