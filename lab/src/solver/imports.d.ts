// The types of imports that only the page's bundle resolves.
declare module '*?url' {
  const url: string;
  export default url;
}

declare module '@cap.js/wasm/browser/cap_wasm.js' {
  /** Loads the module beside the script. */
  export default function init(): Promise<unknown>;
  /** @returns the first nonce, from 0 on, whose hash behind the salt begins with the hexadecimal target */
  export function solve_pow(salt: string, target: string): bigint;
}
