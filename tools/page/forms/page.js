// The element's own page: its displays, themes and languages, each with the lines to copy.
import '../client/element.js';
import { find } from '../find.js';
import { language, translate, translatePage } from '../i18n.js';
import { createCopiedCode } from '../own/copied-code.js';
import { createLink } from '../own/link.js';
import { scriptLine } from '../own/own-form.js';
import { createExample } from './example.js';
import { showLanguages } from './languages.js';
import { serviceAttributes } from './service-attributes.js';
import { themes } from './themes.js';

translatePage();
document.title = `Tollgate · ${translate('nav_forms')}`;
const common = await serviceAttributes();

find('once').append(
  createCopiedCode({ title: translate('once'), code: scriptLine(common.prefix), level: 'h2' }),
);
find('displays').append(
  ...['inline', 'floating', 'invisible'].map((display) =>
    createExample({
      title: translate(`display_${display}`),
      words: translate(`display_${display}_words`),
      attributes: { ...common, ...(display === 'inline' ? {} : { display }) },
      waits: display !== 'inline',
    }),
  ),
);
find('themes').append(
  ...Object.entries(themes).map(([name, declarations]) =>
    createExample({
      title: translate(`theme_${name}`),
      words: translate(`theme_${name}_words`),
      attributes: common,
      declarations,
    }),
  ),
);
showLanguages({ list: find('languages'), place: find('language-example'), attributes: common, language });
find('more').append(
  createLink('own_element', 'docs/client/element.md', 'en'),
  createLink('forms_server', 'docs/client/server-rendered.md', 'en'),
  createLink('forms_trouble', 'docs/client/troubleshooting.md', 'en'),
);
