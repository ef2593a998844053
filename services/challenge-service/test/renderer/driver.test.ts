// Image library selection.
import { createRequire } from 'node:module';
import t from 'tap';
import { type DriverName, loadDriver } from '../../src/renderer/driver.js';

const require = createRequire(import.meta.url);

function refusing(...names: string[]) {
  return (specifier: string): unknown => {
    if (names.includes(specifier)) throw new Error(`${specifier} has no binary`);
    return require(specifier);
  };
}

t.test('the second library is used if the first fails to load', async (t) => {
  t.equal(loadDriver(undefined, refusing('canvas'))?.name, '@napi-rs/canvas');
});

t.test('the libraries are tried in order', async (t) => {
  const asked: string[] = [];
  loadDriver(undefined, (specifier) => {
    asked.push(specifier);
    throw new Error('nothing here');
  });
  t.same(asked, ['canvas', '@napi-rs/canvas']);
});

t.test('without any library there is no driver', async (t) => {
  t.equal(loadDriver(undefined, refusing('canvas', '@napi-rs/canvas')), null);
});

t.test('a named library that fails to load is an error even if another would load', async (t) => {
  t.throws(() => loadDriver('canvas', refusing('canvas')), {
    message: 'the image library canvas does not load',
  });
});

t.test('an unknown library name is an error', async (t) => {
  for (const name of ['sharp', '', '__proto__', 'constructor']) {
    t.throws(() => loadDriver(name as DriverName), { message: `unknown image library: ${name}` });
  }
});

t.test('a named library is used', async (t) => {
  const driver = loadDriver('@napi-rs/canvas');
  t.equal(driver?.name, '@napi-rs/canvas');
  t.match(driver?.version, /^\d+\.\d+\.\d+/);
});
