// The `tap` of test files that run in the process of the mutation tests: it collects tests, which runner.mjs runs.

/** Tests of the file that is loaded: name and function. */
export const collected = [];

const t = {
  test(name, ...rest) {
    collected.push({ name, run: rest.at(-1) });
  },
};

export default t;
