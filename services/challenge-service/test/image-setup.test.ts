// The image setup: the operator's module and presets, loaded and validated before the start.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '@tollgate/shared/config';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { loadImageSetup, openImages } from '../src/image-setup.js';

const captcha = resolveCaptchaOptions();

/** Loads a module and presets from a test folder. The file names are unique because modules are cached. */
function loader(folder: string) {
  let files = 0;
  return async (module?: string, presets?: string) => {
    const name = `own-${files++}.mjs`;
    if (module !== undefined) writeFileSync(join(folder, name), module);
    const values = {
      CAPTCHA_MODULE: module === undefined ? undefined : `./${name}`,
      CAPTCHA_PRESETS: presets,
    };
    return loadImageSetup({ values, captcha }, folder);
  };
}

t.test('the setup needs no configuration', async (t) => {
  const { presets, kinds, renderer } = await loader(tempDir(t))();
  t.strictSame([[...presets.keys()], kinds, renderer], [['default'], [], undefined]);
});

t.test('presets come from a file, from JSON in the variable and from the module', async (t) => {
  const folder = tempDir(t);
  const load = loader(folder);
  writeFileSync(join(folder, 'presets.json'), '{ "large": {} }');
  t.ok((await load(undefined, 'presets.json')).presets.has('large'));
  const both = await load('export const presets = { own: { kind: "text" } };', ' { "small": {} }');
  t.strictSame([...both.presets.keys()], ['default', 'own', 'small']);
});

t.test("the module's renderer draws, and no library is loaded", async (t) => {
  const { renderer } = await loader(tempDir(t))(
    `export const renderer = { name: 'mine', render: () => new Uint8Array() };`,
  );
  const images = await openImages(renderer, 'canvas', { threads: 1, maxQueue: 1 });
  t.equal(await images?.identity(), 'mine');
  await images?.close();
});

t.test('each error is a line that begins with the variable name', async (t) => {
  const load = loader(tempDir(t));
  const lines: [string | undefined, string | undefined, RegExp[]][] = [
    ['export const preset = {};', undefined, [/^CAPTCHA_MODULE names a module that exports neither/]],
    [
      'throw new Error("a secret")',
      undefined,
      [/^CAPTCHA_MODULE names a module that cannot be loaded: it threw Error$/],
    ],
    ['const', undefined, [/^CAPTCHA_MODULE names a module that cannot be loaded: /]],
    ['export const kinds = 5;', undefined, [/^CAPTCHA_MODULE kinds must be a list of challenge types$/]],
    [
      'export const kinds = [{ name: "text", make() {} }, { name: "a b" }, { name: "c" }];',
      undefined,
      [
        /^CAPTCHA_MODULE kinds\[0\]\.name must not be text, which is taken$/,
        /^CAPTCHA_MODULE kinds\[1\]\.name must be 1 to 32 letters/,
        /^CAPTCHA_MODULE kinds\[2\] \(c\) must have either a function make or a function verify$/,
      ],
    ],
    [
      'export const renderer = {}; export const presets = { "": {} };',
      '{',
      [
        /^CAPTCHA_PRESETS is not valid JSON: /,
        /^CAPTCHA_MODULE renderer must have a name/,
        /^CAPTCHA_MODULE presets "" must have a name/,
      ],
    ],
    [
      undefined,
      'nowhere.json',
      [/^CAPTCHA_PRESETS names a file that cannot be read \(ENOENT\); JSON in its place/],
    ],
    [
      undefined,
      '{ "effort": {} }',
      [/^CAPTCHA_PRESETS effort must not be named effort, which has no image$/],
    ],
  ];
  for (const [module, presets, expected] of lines) {
    const error = await load(module, presets).catch((error: unknown) => error);
    t.ok(error instanceof ConfigurationError, String(expected));
    if (error instanceof ConfigurationError) {
      t.equal(error.lines.length, expected.length);
      t.match(error.lines, expected);
    }
  }
  const config = { values: { CAPTCHA_MODULE: './nowhere.js' }, captcha };
  await t.rejects(loadImageSetup(config, tempDir(t)), {
    message: /^CAPTCHA_MODULE names a module that cannot be loaded: Cannot find module/,
  });
});
