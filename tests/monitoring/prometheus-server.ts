// A Prometheus for a test, with the configuration that deploy/prometheus ships.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';
import { readProjectFile } from '../docs/project-file.js';

/** A series of a response, with its current value. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [seconds: number, value: string];
}

/** An alert rule as loaded by Prometheus. */
export interface LoadedRule {
  readonly name: string;
  readonly query: string;
  /** `ok`, `err`, or `unknown` before the first evaluation. */
  readonly health: string;
  readonly lastEvaluation: string;
  readonly alerts: readonly {
    readonly annotations: Readonly<Record<string, string>>;
    readonly state: string;
  }[];
}

export interface Prometheus {
  /** @throws Error if the expression is invalid */
  query(expression: string): Promise<readonly Sample[]>;
  /** Values of a label in the series that a selector matches. */
  labelValues(label: string, selector: string): Promise<readonly string[]>;
  rules(): Promise<readonly LoadedRule[]>;
}

/** Starts Prometheus, which scrapes both services and evaluates the rules every second. */
export async function startPrometheus(
  t: Pick<Test, 'teardown'>,
  ports: { readonly sessionAdmin: number; readonly challengeAdmin: number },
): Promise<Prometheus> {
  const folder = tempDir(t);
  const file = join(folder, 'prometheus.yml');
  const shipped = readProjectFile('deploy/prometheus/prometheus.yml');
  writeFileSync(
    file,
    shipped
      .replaceAll('15s', '1s')
      .replace(
        '[tollgate.rules.yml]',
        JSON.stringify([join(projectRoot, 'deploy/prometheus/tollgate.rules.yml')]),
      )
      .replace('127.0.0.1:9001', `127.0.0.1:${ports.sessionAdmin}`)
      .replace('127.0.0.1:9002', `127.0.0.1:${ports.challengeAdmin}`),
  );
  const child = spawn(
    process.env.PROMETHEUS || 'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const gone = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await gone;
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    let address: string | undefined;
    child.once('error', reject);
    child.once('close', () => reject(new Error(`Prometheus did not start: ${said}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      address ??= /msg="Listening on" address=(\S+)/.exec(said)?.[1];
      if (address !== undefined && said.includes('Server is ready')) resolve(`http://${address}/api/v1`);
    });
  });

  const ask = async (path: string, parameters: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/${path}?${new URLSearchParams(parameters)}`);
    // biome-ignore lint/suspicious/noExplicitAny: each caller knows the form of its response
    const { status, error, data } = (await answer.json()) as any;
    if (status !== 'success') throw new Error(error);
    return data;
  };
  return {
    query: async (expression) => (await ask('query', { query: expression })).result,
    labelValues: (label, selector) => ask(`label/${label}/values`, { 'match[]': selector }),
    rules: async () =>
      (await ask('rules')).groups.flatMap(({ rules }: { rules: readonly LoadedRule[] }) => rules),
  };
}
