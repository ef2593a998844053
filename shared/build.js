// Assembles the WebAssembly module of HashWX from its text into a source file, which is compiled with the others.
//
//   node shared/build.js
//       run before `tsc -b`; does nothing if the file is newer than the text. The file is part of the sources, so that
//       compiling them needs no assembler
import { readFileSync, statSync, writeFileSync } from 'node:fs';

const text = new URL('./src/pow/hashwx/hashwx.wat', import.meta.url);
const output = new URL('./src/pow/hashwx/hashwx-module.ts', import.meta.url);

if (statSync(output, { throwIfNoEntry: false })?.mtimeMs > statSync(text).mtimeMs) process.exit();
const { assemble } = await import('../packages/client/build/assemble.js');
const lines = (await assemble(readFileSync(text, 'utf8'))).match(/.{1,100}/g);
const source = `// The module of hashwx.wat in base64. Written by shared/build.js. Do not edit.

export const hashwxModule =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;
// A file that is already right keeps its time, so that nothing is compiled again.
const isWritten = statSync(output, { throwIfNoEntry: false }) && readFileSync(output, 'utf8') === source;
if (!isWritten) writeFileSync(output, source);
