// The devices and pages on which the wait is measured.
import type { Engine, Flags } from '../engines/engine.js';

export interface Condition {
  readonly name: string;
  /** Slow-down factor of the page. */
  readonly times?: number;
  /** Start options of the browser; engines without an entry do not support the condition. */
  readonly flags?: Readonly<Partial<Record<Engine['name'], Flags>>>;
  /** The content security policy of the page. */
  readonly policy?: string;
}

const noSimd: Condition['flags'] = {
  Chromium: { 'js-flags': '--no-enable-sse4-1' },
  WebKit: { JSC_useWasmSIMD: 0 },
};

const noJit: Condition['flags'] = {
  Chromium: { 'js-flags': '--jitless' },
  Firefox: {
    'javascript.options.blinterp': false,
    'javascript.options.baselinejit': false,
    'javascript.options.ion': false,
    'javascript.options.native_regexp': false,
    'javascript.options.wasm_baselinejit': false,
    'javascript.options.wasm_optimizingjit': false,
  },
  WebKit: { JSC_useJIT: 0 },
};

const scripts = "default-src 'self'; script-src 'self'";

export const conditions: readonly Condition[] = [
  { name: 'as it is' },
  { name: '4 times slower', times: 4 },
  { name: '6 times slower', times: 6 },
  { name: 'without SIMD', flags: noSimd },
  { name: 'without WebAssembly', policy: scripts },
  { name: 'without JIT', flags: noJit },
  { name: 'workers blocked', policy: `${scripts} 'wasm-unsafe-eval'; worker-src 'none'` },
];
