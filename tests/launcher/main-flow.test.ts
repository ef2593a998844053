// The main flow that `npm run test:nodes` runs on each line of Node, on the Node of the tests.
import t from 'tap';

t.test('test:nodes started a removed file', async (t) => {
  const program = new URL('../../../tools/main-flow.js', import.meta.url);
  const { runMainFlow } = await import(program.href);
  await t.resolves(runMainFlow(process.execPath));
});
