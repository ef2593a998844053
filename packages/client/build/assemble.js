// Compiles WebAssembly's text format to binary.
import openWabt from 'wabt';

/** @param {string} text @returns {Promise<string>} the validated module in base64 */
export async function assemble(text) {
  const wabt = await openWabt();
  const module = wabt.parseWat('kernel.wat', text, { simd: true });
  try {
    module.validate({ simd: true });
    return Buffer.from(module.toBinary({}).buffer).toString('base64');
  } finally {
    module.destroy();
  }
}
