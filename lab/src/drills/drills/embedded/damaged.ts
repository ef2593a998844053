// The embedded store's file is damaged: the services report it, and continue with a copy.
import { closeSync, copyFileSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { defineDrill } from '../../drill.js';
import { onFiles } from '../../servers/embedded.js';
import type { Service } from '../../servers/services.js';

/** Kinds of damage, by name. */
const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'cut in half': (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  'without its beginning': (path) => overwrite(path, 0, 2 * 4_096),
};

const findings: string[] = [];

export default defineDrill({
  name: 'embedded-damaged',
  title: 'Embedded store, then user file are damaged while stopped, and restored from a copy.',
  open: onFiles(),
  async fault({ services, sessions, stage }) {
    await Promise.all(services.map((service) => service.stop()));
    for (const file of stage.files) {
      const copy = `${file}.copy`;
      copyFileSync(file, copy);
      for (const [what, damage] of Object.entries(DAMAGES)) {
        damage(file);
        // The challenge services do not read the users.
        const readers = file === stage.files[0] ? services : sessions;
        const found = readers.map((service) => complaints(service, file, what));
        findings.push(...(await Promise.all(found)).flat());
        copyFileSync(copy, file);
      }
      rmSync(copy);
    }
  },
  async recovery({ services }) {
    await Promise.all(services.map((service) => service.start()));
  },
  lastFailureMs: 1_500,
  check: () => findings.splice(0),
});

/** A service must not start on a damaged file, and prints one line that names the file. */
async function complaints(service: Service, file: string, what: string): Promise<string[]> {
  const end = await service.tryStart();
  const title = `${service.name} on ${basename(file)} ${what}`;
  if (end === undefined) {
    await service.stop();
    return [`${title} started`];
  }
  const lines = end.said.split('\n').filter((line) => line !== '');
  if (end.code === 1 && lines.length === 1 && lines[0]?.includes(file)) return [];
  return [`${title} ended with ${end.signal ?? end.code}, ${lines.length} lines: ${lines[0] ?? ''}`];
}

function overwrite(path: string, from: number, bytes: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(bytes, 0xaa), 0, bytes, from);
  closeSync(file);
}
