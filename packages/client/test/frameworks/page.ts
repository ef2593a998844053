// Page of a framework, by its query: a component with a challenge and the session's state, which a test mounts.
import '@tollgate/client/element';
import { type ChallengeController, createChallenge } from '@tollgate/client/challenge';
import { createSession } from '@tollgate/client/session';
import { useChallenge as solidChallenge, useSession as solidSession } from '@tollgate/client/solid';
import { useChallenge as vueChallenge, useSession as vueSession } from '@tollgate/client/vue';
import { createRenderEffect } from 'solid-js';
import { render } from 'solid-js/web';
import { createApp, h } from 'vue';

interface Mounted {
  /** The controller of the component. */
  readonly controller: ChallengeController;
  unmount(): void;
}

/** Renders the element with the controller, and both states as text. */
type Mount = (root: HTMLElement, shared?: ChallengeController) => Mounted;

const session = createSession();

const mounts: Readonly<Record<string, Mount>> = {
  vue(root, shared) {
    let controller: ChallengeController | undefined;
    const app = createApp({
      setup() {
        const challenge = vueChallenge(shared);
        const state = vueSession(session);
        controller = challenge.controller;
        return () => [
          h('tollgate-challenge', { controller }),
          h('output', `${challenge.state.value.status} ${state.value.status}`),
        ];
      },
    });
    app.mount(root);
    return { controller: controller!, unmount: () => app.unmount() };
  },
  solid(root, shared) {
    let controller: ChallengeController | undefined;
    const unmount = render(() => {
      const challenge = solidChallenge(shared);
      const state = solidSession(session);
      controller = challenge.controller;
      const element = document.createElement('tollgate-challenge');
      element.controller = controller;
      const output = document.createElement('output');
      createRenderEffect(() => {
        output.textContent = `${challenge.state().status} ${state().status}`;
      });
      return [element, output];
    }, root);
    return { controller: controller!, unmount };
  },
};

interface Lab {
  readonly mount: Mount;
  readonly session: typeof session;
  readonly createChallenge: typeof createChallenge;
}

declare global {
  var framework: Lab;
}

export const pageFramework: Lab = { mount: mounts[location.search.slice(1)]!, session, createChallenge };
