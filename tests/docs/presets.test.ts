// The presets, kinds and renderers in docs/challenges/ match those of the challenge service.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadImageSetup } from '@tollgate/challenge-service/image-setup.js';
import { ImagePreset } from '@tollgate/challenge-service/presets/preset.js';
import { resolvePresets } from '@tollgate/challenge-service/presets/presets.js';
import { leavesOf, resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { codeBlocks, literalsIn, tablesHeaded } from './markdown.js';
import { readProjectFile } from './project-file.js';

const page = readProjectFile('docs/challenges/presets.md');
const modulePage = readProjectFile('docs/challenges/challenge-types.md');
const options = resolveCaptchaOptions();

t.test('the presets of the example are valid', async (t) => {
  const example = codeBlocks(page, 'json').find((code) => code.includes('"calm"')) ?? '';
  const sources = [{ name: 'docs/challenges/presets.md', presets: JSON.parse(example) }];
  const { presets, mistakes } = resolvePresets({ options, sources });
  t.strictSame(mistakes, []);
  t.strictSame([...presets.keys()], ['default', 'large', 'calm']);
});

t.test('every option of a preset is in the table, and no other', async (t) => {
  const [table] = tablesHeaded(page, 'Option').filter(({ head }) => head[1] === 'Values');
  const named = (table?.rows ?? []).flatMap(([cell = '']) => literalsIn(cell));
  const known = leavesOf(ImagePreset).map(({ path }) => path.join('.'));
  t.strictSame(named.toSorted(), ['kind', ...known].toSorted());
});

t.test('the module of the example is valid', async (t) => {
  const [kinds = '', renderer = ''] = codeBlocks(modulePage, 'js').filter((code) =>
    code.startsWith('export const'),
  );
  const folder = tempDir(t);
  writeFileSync(join(folder, 'own.mjs'), `${kinds}\n${renderer}`);
  const settings = { values: { CAPTCHA_MODULE: './own.mjs' }, captcha: options };
  const equipment = await loadImageSetup(settings, folder);
  t.strictSame([...equipment.presets.keys()], ['default', 'sum']);
  t.equal(equipment.renderer?.name, 'mine@1');
});
