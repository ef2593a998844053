// A page of another origin than the services: a form and a session, with the package from its own origin.

/** @param services the address of the services */
export const otherPage = (services: string) => `<!doctype html><html lang="en"><head><title>Elsewhere</title>
  <script src="/watch.js"></script><script type="module" src="/page.js"></script></head><body><main>
  <h1>A page elsewhere</h1><p id="status"></p>
  <form><label>E-mail <input id="email"></label><label>Password <input id="password" type="password"></label>
  <tollgate-challenge base-url="${services}/"></tollgate-challenge><button id="submit">Sign in</button></form>
  <button id="call" type="button">Call</button><output id="answer"></output>
  <button id="log-out" type="button">Log out</button></main></body></html>`;

/** Its script. @param services the address of the services */
export const otherScript = (services: string) => `import '/client/element.js';
  import { createSession } from '/client/session.js';
  const find = (id) => document.getElementById(id);
  const session = createSession({ baseUrl: '${services}/' });
  session.subscribe(show);
  function show() { find('status').textContent = session.state.status; }
  document.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    const { value: email } = find('email');
    const { value: password } = find('password');
    document.querySelector('tollgate-challenge').controller
      .submit((fields) => session.login({ email, password, ...fields }));
  });
  find('call').addEventListener('click', async () => {
    const response = await session.fetch('profile');
    find('answer').textContent = response.status + ' ' + (await response.json()).email;
  });
  find('log-out').addEventListener('click', () => session.logout());
  await session.resume();
  show();`;
