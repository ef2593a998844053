// The sessions of the signed-in user, with buttons to end them.
import { nameBrowser } from './browser-name.js';
import { find } from './find.js';
import { when } from './format.js';
import { translate } from './i18n.js';
import { notify } from './notice.js';

/** @param {ReturnType<typeof import('./session-request.js').createSessionRequest>} request */
export function createSessionList(request) {
  const list = find('sessions');
  const endOthers = find('end-others');

  endOthers.addEventListener('click', () => end('sessions', 'others_ended'));

  async function load() {
    const response = await request('sessions');
    if (response === undefined) return;
    const { sessions } = response.body;
    sessions.sort((a, b) => b.current - a.current || (a.last_used_at < b.last_used_at ? 1 : -1));
    const counts = new Map();
    list.replaceChildren(
      ...sessions.map((session) => {
        const browser = nameBrowser(session.user_agent);
        const count = (counts.get(browser) ?? 0) + 1;
        counts.set(browser, count);
        // Two buttons of one name could not be told apart by ear.
        return showOne(session, count === 1 ? browser : `${browser} (${count})`);
      }),
    );
    endOthers.hidden = sessions.length < 2;
  }

  async function end(path, done) {
    const response = await request(path, { method: 'DELETE' });
    if (response === undefined) return;
    notify(translate(done), 'good');
    // The focused button has been removed.
    find('sessions-title').focus();
    await load();
  }

  function showOne({ id, current, created_at, last_used_at }, name) {
    const item = document.createElement('li');
    item.dataset.session = id;
    const title = make('strong', name);
    const times = translate('session_times', { start: when(created_at), used: when(last_used_at) });
    const words = make('div');
    words.append(title, ...(current ? [' ', make('span', translate('session_current'), 'chip')] : []));
    words.append(make('p', times, 'hint'));
    item.append(words);
    if (!current) {
      const button = make('button', translate('end'), 'quiet');
      button.type = 'button';
      button.ariaLabel = translate('end_this', { name });
      button.addEventListener('click', () => end(`sessions/${id}`, 'ended'));
      item.append(button);
    }
    return item;
  }

  return {
    load,
    clear() {
      list.replaceChildren();
      endOthers.hidden = true;
    },
  };
}

function make(name, text = '', className = '') {
  const node = document.createElement(name);
  node.textContent = text;
  node.className = className;
  return node;
}
