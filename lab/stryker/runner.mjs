// A test runner of StrykerJS for unit tests with tap: loads the test files once, and runs their tests again for each mutant.
//
// A process for each mutant and file, as the runner of StrykerJS has it, takes 0.6 s and more; this one takes milliseconds.
// Whatever the files compute while they load, they compute without the mutant. So a mutant that is killed here is killed,
// and one that survives may be run again with the runner of StrykerJS (RUNNER=tap).

import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { collected } from './collector.mjs';

// tap sends objects to its parent process, and StrykerJS expects texts.
const send = process.send?.bind(process);
process.send = (message, ...rest) => typeof message !== 'string' || send(message, ...rest);
await import('@tapjs/core');
const { Test } = await import('@tapjs/test');

register('./hooks.mjs', import.meta.url);
// A test that ends at its first failure leaves a rejected promise behind.
process.on('unhandledRejection', () => {});

/** What the instrumented code reads and writes. */
const state = globalThis.__stryker__ ?? {};
globalThis.__stryker__ = state;

/** Runs one test; returns whether it passes. It ends at the first failure. */
async function passes({ name, run }) {
  const root = new Test({ name, bail: true, timeout: 60_000 });
  root.on('data', () => {});
  const bailout = new Promise((resolve) => root.on('bailout', resolve));
  try {
    await Promise.race([root.test(name, run), bailout]);
  } catch {
    return false;
  }
  return root.passing();
}

class Runner {
  #options;
  #tests;
  /** Whether a mutant has left a wrong value behind, such as in a cache, which would kill those after it. */
  #isSpoilt = false;

  constructor(options) {
    this.#options = options.inProcess;
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  async #load() {
    if (this.#tests !== undefined) return;
    this.#tests = [];
    const { sources, tests } = this.#options;
    // What runs here is static: it needs a process of its own for each mutant.
    for (const file of sources) await import(pathToFileURL(file).href);
    for (const file of tests) {
      state.currentTestId = `${file}: while it loads`;
      collected.length = 0;
      await import(pathToFileURL(file).href);
      this.#tests.push(...collected.map((test) => ({ ...test, file, id: `${file}: ${test.name}` })));
    }
    state.currentTestId = undefined;
  }

  async #run(isWanted, isBailing) {
    const results = [];
    for (const test of this.#tests.filter(isWanted)) {
      state.currentTestId = test.id;
      const startedMs = performance.now();
      const ok = await passes(test);
      results.push({
        id: test.id,
        name: test.name,
        fileName: test.file,
        timeSpentMs: Math.round(performance.now() - startedMs),
        ...(ok ? { status: TestStatus.Success } : { status: TestStatus.Failed, failureMessage: test.name }),
      });
      if (!ok && isBailing) break;
    }
    state.currentTestId = undefined;
    return results;
  }

  async dryRun() {
    await this.#load();
    const results = await this.#run(() => true, false);
    const loaded = this.#options.tests.map((file) => ({
      id: `${file}: while it loads`,
      name: 'while it loads',
      fileName: file,
      timeSpentMs: 0,
      status: TestStatus.Success,
    }));
    return {
      status: DryRunStatus.Complete,
      tests: [...results, ...loaded],
      mutantCoverage: state.mutantCoverage,
    };
  }

  async mutantRun({ activeMutant, hitLimit, testFilter, mutantActivation }) {
    // StrykerJS then starts another process for this mutant.
    if (this.#isSpoilt) process.exit(1);
    if (mutantActivation === 'static') state.activeMutant = activeMutant.id;
    try {
      await this.#load();
      Object.assign(state, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
      const wanted = testFilter && new Set(testFilter);
      const isWanted = ({ id, file }) =>
        wanted === undefined || wanted.has(id) || wanted.has(`${file}: while it loads`);
      const tests = await this.#run(isWanted, true);
      const limit = determineHitLimitReached(state.hitCount, hitLimit);
      if (limit !== undefined) return toMutantRunResult(limit);
      state.activeMutant = undefined;
      state.hitLimit = undefined;
      const failed = tests.find(({ status }) => status === TestStatus.Failed);
      if (failed !== undefined && mutantActivation !== 'static') {
        const [again] = await this.#run(({ id }) => id === failed.id, true);
        this.#isSpoilt = again?.status !== TestStatus.Success;
      }
      return toMutantRunResult({ status: DryRunStatus.Complete, tests });
    } catch (error) {
      // A mutant with which the code does not even load.
      if (mutantActivation !== 'static') throw error;
      const test = { id: this.#options.tests[0], name: 'load', timeSpentMs: 0 };
      const failed = { ...test, status: TestStatus.Failed, failureMessage: String(error) };
      return toMutantRunResult({ status: DryRunStatus.Complete, tests: [failed] });
    } finally {
      Object.assign(state, { activeMutant: undefined, hitLimit: undefined });
    }
  }
}

const create = (options) => new Runner(options);
create.inject = tokens(commonTokens.options);

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'tap-in-process', create)];
