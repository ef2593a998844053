// Debian's WordPress with a database of its own.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';
import { responds, startProgram } from './programs.js';

const run = promisify(execFile);
const source = '/usr/share/wordpress';
const files = [`${source}/wp-login.php`, '/usr/sbin/mariadbd', '/usr/bin/mariadb-install-db'];

/** Whether Debian's packages are installed. */
export const hasWordPress = process.env.WORDPRESS_PHP !== '' && files.every((path) => existsSync(path));

export const ADMIN = { name: 'admin', password: 'a long password of this test' };

export interface Blog {
  readonly address: string;
  /** A file with the plugin, as an administrator uploads it. */
  readonly plugin: string;
  /** Sets or removes the constant `TOLLGATE_ADMIN_FALLBACK`. */
  allowAdminsWithoutService(isAllowed: boolean): void;
  /** Runs PHP code inside WordPress; resolves with its output. */
  evaluate(code: string): Promise<string>;
  /** Notices, warnings and errors so far. */
  log(): string;
}

/**
 * Installs a blog without the plugin.
 * @param code PHP code of the site
 */
export async function startBlog(t: Test, code: string): Promise<Blog> {
  const folder = tempDir(t);
  const web = join(folder, 'web');
  const filter = (path: string) => !path.endsWith('/.htaccess');
  cpSync(source, web, { recursive: true, dereference: true, filter });
  const plugin = join(folder, 'tollgate.zip');
  const zip = `(new PharData('${plugin}', 0, null, Phar::ZIP))->buildFromDirectory('deploy/wordpress');`;
  await run('php', ['-r', zip], { cwd: projectRoot });
  mkdirSync(join(web, 'wp-content', 'mu-plugins'));
  writeFileSync(join(web, 'wp-content', 'mu-plugins', 'site.php'), `<?php\n${unlimited}\n${code}`);
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const log = join(folder, 'php.log');
  const fallback = join(folder, 'fallback');
  const socket = await startDatabase(t, folder);
  writeFileSync(join(web, 'wp-config.php'), configuration({ address, socket, log, fallback }));
  await startProgram(t, ['php', '-S', `127.0.0.1:${port}`, '-t', web], {
    cwd: folder,
    env: { PHP_CLI_SERVER_WORKERS: '3' },
    isUp: () => responds(`${address}/readme.html`),
  });
  const installed = await fetch(`${address}/wp-admin/install.php?step=2`, {
    method: 'POST',
    body: new URLSearchParams({
      weblog_title: 'A blog',
      user_name: ADMIN.name,
      admin_password: ADMIN.password,
      admin_password2: ADMIN.password,
      admin_email: 'admin@example.com',
    }),
  });
  if (!(await installed.text()).includes('Success!')) throw new Error('WordPress could not be installed');
  return {
    address,
    plugin,
    allowAdminsWithoutService: (isAllowed) => writeFileSync(fallback, isAllowed ? '1' : ''),
    async evaluate(code) {
      const program = `$_SERVER['HTTP_HOST'] = 'localhost:${port}'; require 'wp-load.php'; ${code}`;
      return (await run('php', ['-r', program], { cwd: web })).stdout;
    },
    log: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
  };
}

/** Sends no mail, and lets an address comment more than once in 15 seconds. */
const unlimited = `add_filter( 'pre_wp_mail', '__return_true' );
add_action( 'init', fn() => remove_filter( 'comment_flood_filter', 'wp_throttle_comment_flood' ) );`;

function configuration(names: Record<'address' | 'socket' | 'log' | 'fallback', string>): string {
  const constants = {
    DB_NAME: 'blog',
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${names.socket}`,
    WP_HOME: names.address,
    WP_SITEURL: names.address,
    WP_ENVIRONMENT_TYPE: 'local',
    WP_DEBUG_LOG: names.log,
  };
  const lines = Object.entries(constants).map(([name, value]) => `define( '${name}', '${value}' );`);
  const salts = ['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY'].flatMap((name) => [
    `define( '${name}', '${name} of this test' );`,
    `define( '${name.replace('KEY', 'SALT')}', '${name} salt of this test' );`,
  ]);
  return `<?php
${[...lines, ...salts].join('\n')}
define( 'WP_DEBUG', true );
define( 'WP_DEBUG_DISPLAY', false );
define( 'DISABLE_WP_CRON', true );
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'WP_ACCESSIBLE_HOSTS', 'localhost,127.0.0.1' );
define( 'TOLLGATE_ADMIN_FALLBACK', '1' === @file_get_contents( '${names.fallback}' ) );
$table_prefix = 'wp_';
define( 'ABSPATH', __DIR__ . '/' );
require_once ABSPATH . 'wp-settings.php';
`;
}

/** Starts MariaDB on a socket of its own, with an empty database. */
async function startDatabase(t: Test, folder: string): Promise<string> {
  const data = join(folder, 'data');
  const socket = join(folder, 'db.sock');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  await run('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...user,
  ]);
  const setUp = join(folder, 'set-up.sql');
  writeFileSync(setUp, 'CREATE DATABASE IF NOT EXISTS blog;\n');
  const options = [
    '--skip-networking',
    '--innodb-buffer-pool-size=16M',
    '--innodb-flush-log-at-trx-commit=0',
  ];
  await startProgram(
    t,
    [
      'mariadbd',
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${socket}`,
      `--init-file=${setUp}`,
      ...options,
      ...user,
    ],
    // Everything of it starts before it listens.
    { cwd: folder, isUp: async () => existsSync(socket) },
  );
  return socket;
}
