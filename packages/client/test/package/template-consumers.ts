// Framework pages that use <tollgate-challenge>: valid and invalid code for their compilers.

const texts = `{ label: 'Letters' }`;

/** Sources by file name. */
export const templateConsumers: Readonly<Record<string, string>> = {
  'in-react.tsx': `/** @jsxImportSource react */
import type { TollgateChallenge } from '@tollgate/client/element';
import type {} from '@tollgate/client/react';
import { useRef } from 'react';

export function Fields({ isEager }: { isEager: boolean }) {
  const ref = useRef<TollgateChallenge>(null);
  return (
    <tollgate-challenge ref={ref} className="check" start="focus" display="floating" hold-submit={isEager}
      texts={${texts}} prefix="api/captcha" chunk-size={1000} onClick={() => {}}
      onstatuschange={({ type }) => type} ontollgate-ready={() => {}} ontollgate-verified={() => {}}
      ontollgate-progress={({ detail }) => detail.share.toFixed()}
      ontollgate-error={({ detail }) => detail.code === 'offline'} />
  );
}
// @ts-expect-error no such display
export const wrong = <tollgate-challenge display="hidden" />;
// @ts-expect-error no such code
export const wrongCode = <tollgate-challenge ontollgate-error={({ detail }) => detail.code === 'broken'} />;
`,
  'in-preact.tsx': `/** @jsxImportSource preact */
import type { TollgateChallenge } from '@tollgate/client/element';
import type {} from '@tollgate/client/types/preact';
import { createRef } from 'preact';

const ref = createRef<TollgateChallenge>();
export const fields = (
  <tollgate-challenge ref={ref} class="check" start="focus" display="floating" hold-submit texts={${texts}}
    prefix="api/captcha" chunk-size="1000" disabled={false} onClick={() => {}} onstatuschange={({ type }) => type}
    ontollgate-error={({ detail }) => detail.code === 'offline'} />
);
// @ts-expect-error no such start
export const wrong = <tollgate-challenge start="later" />;
// @ts-expect-error written as the text "false", which is true
export const wrongFlag = <tollgate-challenge hold-submit={false} />;
`,
  'in-solid.tsx': `/** @jsxImportSource solid-js */
import type { TollgateChallenge } from '@tollgate/client/element';
import type { Session } from '@tollgate/client/session';
import { useChallenge, useSession } from '@tollgate/client/solid';

let element: TollgateChallenge | undefined;
export function Login({ session }: { session: Session }) {
  const state = useSession(session);
  const { controller, state: challenge } = useChallenge({ image: 'always' });
  return <tollgate-challenge prop:controller={controller} lang={\`\${state().status} \${challenge().work?.chance}\`} />;
}
// @ts-expect-error no such option
useChallenge({ colour: 'red' });
export const fields = (image: 'always' | 'never') => (
  <tollgate-challenge ref={element} class="check" start="focus" display="floating" hold-submit attr:image={image}
    prop:texts={${texts}} prop:controller={null} chunk-size="1000" onClick={() => {}}
    on:statuschange={({ type }) => type} on:tollgate-error={({ detail }) => detail.code === 'offline'} />
);
// @ts-expect-error no such start
export const wrong = <tollgate-challenge start="later" />;
// @ts-expect-error no such code
export const wrongCode = <tollgate-challenge on:tollgate-error={({ detail }) => detail.code === 'broken'} />;
`,
  'in-vue.tsx': `/** @jsxImportSource vue */
import type { Session } from '@tollgate/client/session';
import { useChallenge, useSession } from '@tollgate/client/vue';
import type { GlobalComponents } from 'vue';

export function setup(session: Session): string {
  const state = useSession(session);
  const { state: challenge } = useChallenge({ image: 'always' });
  return state.value.status + challenge.value.status;
}
// @ts-expect-error no such option
useChallenge({ colour: 'red' });

export const fields = (
  <tollgate-challenge class="check" start="focus" display="floating" hold-submit texts={${texts}} chunk-size="1000"
    onClick={() => {}} onStatuschange={({ type }) => type}
    onTollgateError={({ detail }) => detail.code === 'offline'} />
);
// @ts-expect-error no such start
export const wrong = <tollgate-challenge start="later" />;

// The checker of templates takes the tag for this class.
type Props = InstanceType<GlobalComponents['tollgate-challenge']>['$props'];
export const props: Props = { baseUrl: 'https://example.com', holdSubmit: true, lang: 'fr', onTollgateReady: () => {} };
// @ts-expect-error no such image
export const wrongProps: Props = { image: 'sometimes' };
// @ts-expect-error written as the text "false", which is true
export const wrongFlag: Props = { holdSubmit: false };
`,
};
