// Device cookie voids, on every kind of store.

import { MAX_DEVICE_TTL_SECONDS } from '@tollgate/shared/schemas';
import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openDeviceVoids } from '../../src/stores/device-voids.js';
import { SECOND } from '../support/session-rules.js';

t.test("a user's latest void counts, for longer than any cookie's lifetime", async (t) => {
  await eachStore(t, async (t, { store, age, reopen }) => {
    const voids = openDeviceVoids(store);
    t.equal(await voids.read(7), undefined);
    await voids.void(7, 'a');
    const first = await voids.read(7);
    t.equal(first?.exceptSid, 'a');
    t.ok(Math.abs((first?.atMs ?? 0) - (await store.timeMs())) < 5 * SECOND, 'on the clock of the store');
    await age(SECOND);
    await voids.void(7);
    const second = await openDeviceVoids(await reopen()).read(7);
    t.equal(second?.exceptSid, undefined);
    t.ok((second?.atMs ?? 0) >= (first?.atMs ?? 0));
    t.equal(await openDeviceVoids(await reopen()).read(8), undefined, 'nobody else is concerned');
    const later = openDeviceVoids(await reopen());
    await later.void(7, 'a');
    await later.void(7, 'a');
    const third = await later.read(7);
    t.match(third, { exceptSid: 'a', voidUntilMs: second?.atMs }, 'its own device stays void');
    await later.void(7, 'b');
    t.match(await later.read(7), { exceptSid: 'b', voidUntilMs: third?.atMs });
    await later.void(7);
    await age(MAX_DEVICE_TTL_SECONDS * SECOND);
    t.ok(await openDeviceVoids(await reopen()).read(7));
    await age(86_400 * SECOND);
    t.equal(await openDeviceVoids(await reopen()).read(7), undefined);
  });
});
