// `npm run bench`: runs the named program, or lists all programs.
import { readdirSync } from 'node:fs';
import type { Program } from './program.js';

const folder = new URL('./programs/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -'.js'.length));

async function load(name: string): Promise<Program> {
  const module = (await import(new URL(`${name}.js`, folder).href)) as { default: Program };
  return module.default;
}

const [wanted, ...args] = process.argv.slice(2);
if (wanted === undefined) {
  for (const name of names) console.log(`${name.padEnd(16)}${(await load(name)).title}`);
} else if (!names.includes(wanted)) {
  console.error(`there is no benchmark ${wanted}; there are ${names.join(', ')}`);
  process.exitCode = 1;
} else {
  const program = await load(wanted);
  console.log(program.title);
  if (!(await program.run(args))) process.exitCode = 1;
}
