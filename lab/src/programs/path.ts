// The path of a request: the number of our files and functions that a reader follows.
import { commonPath, openCoverage, type Path } from '../path/coverage.js';
import { ACCOUNT, openServicesHere, type ServicesHere } from '../path/services.js';
import type { Program } from '../program.js';
import { prepareSolvedWork } from '../solved-work.js';

const MEASURED = 3;
const OPTIONS = { functions: { type: 'string', multiple: true } } as const;

/** A request, and its response once it has been read completely. */
type Send = () => Promise<Response>;

const program: Program<typeof OPTIONS> = {
  title: 'path of one request: our files and functions that run for it',
  method: `Both services in one process, on Redis, with default options. V8's precise coverage counts the executed functions, by
source file. Each request is sent once to warm up and then ${MEASURED} times; functions that ran each time count. Threads are not counted.
Option: --functions refresh (lists the functions of requests with this text in their name; may be repeated)`,
  options: OPTIONS,
  async run({ values: { functions: listed = [] } }, report, open) {
    const services = await open(openServicesHere());
    const coverage = await open(openCoverage());
    for (const [name, prepare] of Object.entries(await requests(services))) {
      const paths: Path[] = [];
      for (let sent = 0; sent <= MEASURED; sent++) {
        const send = await prepare();
        const path = await coverage.during(send);
        if (sent > 0) paths.push(path);
      }
      const path = commonPath(paths);
      const functions = [...path.values()].reduce((sum, { size }) => sum + size, 0);
      report.row(name, { files: path.size, functions });
      if (listed.some((text) => name.includes(text))) {
        for (const [file, ran] of [...path].sort()) {
          report.say(`  ${file}: ${[...ran].map((each) => each.replace(/@.*/, '') || '=>').join(' ')}`);
        }
      }
    }
  },
  table: {
    document: 'architecture.md',
    markdown(rows) {
      const requests = rows.flatMap(({ name, figures: { files, functions } }) =>
        files === undefined || functions === undefined
          ? []
          : [`| ${name} | ${files.median} | ${functions.median} |`],
      );
      return ['| Request | Files | Functions |', '|---|---|---|', ...requests].join('\n');
    },
  },
};
export default program;

/** Returns for each request a function that prepares the next one. */
async function requests({
  session,
  challenge,
  ...site
}: ServicesHere): Promise<Readonly<Record<string, () => Promise<Send>>>> {
  let cookie = '';
  let accessToken = '';
  const signIn = async () => {
    const [work] = await prepareSolvedWork(site.storeUrl, site.challengeSecret, 1);
    const body = JSON.stringify({ ...ACCOUNT, ...work });
    return () => post(`${session}/login`, { body, headers: { 'content-type': 'application/json' } });
  };
  const post = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await receive(url, { method: 'POST', ...init });
    cookie = response.headers.getSetCookie().at(0)!.split(';')[0]!;
    ({ accessToken } = (await response.clone().json()) as { accessToken: string });
    return response;
  };
  return {
    'log in: `POST /login`': signIn,
    'refresh: `POST /refresh`': async () => () => post(`${session}/refresh`, { headers: { cookie } }),
    'read the profile: `GET /profile`': async () => () =>
      receive(`${session}/profile`, { headers: { authorization: `Bearer ${accessToken}` } }),
    'issue a proof of work: `GET /api/captcha/pow`': async () => () =>
      receive(`${challenge}/api/captcha/pow`),
    'issue an image: `GET /api/captcha`': async () => () => receive(`${challenge}/api/captcha`),
  };
}

/** @throws Error for an unsuccessful response */
async function receive(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  await response.clone().arrayBuffer();
  if (!response.ok) throw new Error(`${url} got ${response.status}: ${await response.text()}`);
  return response;
}
