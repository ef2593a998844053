// The element in Svelte's templates, and the stores: accepted and rejected code.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { compileOutside, createOutsideProject, packInto, published } from '../packages/outside-project.js';

const consumer = `import type { ChallengeState } from '@tollgate/client/challenge';
import type { Session } from '@tollgate/client/session';
import { useChallenge, useSession } from '@tollgate/client/svelte';
import type { SvelteHTMLElements } from 'svelte/elements';
import { get, type Readable } from 'svelte/store';

export function read(session: Session): string {
  const challenge: Readable<ChallengeState> = useChallenge({ image: 'always' });
  return get(useSession(session)).status + get(challenge).status;
}
// @ts-expect-error no such option
useChallenge({ colour: 'red' });

// Its templates are checked against this interface.
type Props = SvelteHTMLElements['tollgate-challenge'];
export const props: Props = {
  id: 'check', start: 'focus', display: 'floating', 'hold-submit': true, texts: { label: 'Letters' },
  'chunk-size': '1000', onclick: () => {}, onstatuschange: ({ type }) => type,
  'ontollgate-error': ({ detail }) => detail.code === 'offline',
};
// @ts-expect-error no such start
export const wrong: Props = { start: 'later' };
// @ts-expect-error no such event
export const wrongEvent: Props = { 'ontollgate-done': () => {} };
`;

const archives = packInto(tempDir(t), [published['tollgate-client']]);
const folder = createOutsideProject(t, archives, { beside: ['svelte', '@types/node'] });
writeFileSync(join(folder, 'in-svelte.ts'), consumer);

for (const resolution of ['bundler', 'nodenext'] as const) {
  t.test(`the element has types in Svelte (${resolution})`, async (t) => {
    t.equal(compileOutside(folder, ['in-svelte.ts'], resolution, { checkJs: false }), '');
  });
}
