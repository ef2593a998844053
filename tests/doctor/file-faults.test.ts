// Doctor on files that are not, or must not be, used by one machine alone.

import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedStore, recordMachine } from '@tollgate/shared/store';
import { diagnoseFiles, type FileFacts } from '@tollgate/tools/doctor/inside/files.js';
import t from 'tap';
import { complaints, sharedExaminedSystem } from './examined-system.js';

const file: FileFacts = {
  variable: 'STORE_URL',
  path: '/data/tollgate.db',
  place: { network: undefined, isFuse: false, isMountedAlone: false, hasSecondName: false },
  others: [],
};

t.test('another machine that uses the store file is found and named', async (t) => {
  const { env, examine } = await sharedExaminedSystem();
  const path = join(env.DATA_DIR ?? '', 'tollgate.db');
  const there = openEmbeddedStore(path);
  const renewing = setInterval(() => void recordMachine(there, 'another-machine'), 50);
  const report = await examine({ env });
  clearInterval(renewing);
  await there.exchange('machine:another-machine', '', 1);
  await there.close();
  t.match(complaints(report), [
    {
      check: 'file_shared',
      severity: 'problem',
      message:
        /^Another machine \(\S+\) uses the file in STORE_URL, .*tollgate\.db: two machines corrupt it\.$/,
    },
  ]);
  t.strictSame(complaints(await examine({ env })), [], 'and no longer when it is gone');
});

t.test('a user file with a second name is found', async (t) => {
  const { env, examine } = await sharedExaminedSystem();
  const path = join(env.DATA_DIR ?? '', 'users.db');
  linkSync(path, `${path}.copy`);
  const found = complaints(await examine({ env }));
  rmSync(`${path}.copy`);
  t.match(found, [
    { check: 'file_with_two_names', message: /^The file in USERS_URL, .*users\.db, has a hard link/ },
  ]);
});

t.test('locations that this machine does not have', async (t) => {
  const checks = (place: Partial<FileFacts['place']>) =>
    diagnoseFiles([{ ...file, place: { ...file.place, ...place } }]).map(
      ({ check, severity, message }) => `${severity} ${check}: ${message}`,
    );
  t.strictSame(checks({ network: 'NFS' }), [
    'problem file_on_network: The file in STORE_URL, /data/tollgate.db, is on NFS, which does not support locks.',
  ]);
  t.match(checks({ isFuse: true }), [/^warning file_on_fuse: /]);
  t.match(checks({ isMountedAlone: true }), [/^problem file_mounted_alone: .*without its folder/]);
  t.match(checks({}), [/^good files: /]);
  t.strictSame(diagnoseFiles([]), [], 'no finding without files');
});
