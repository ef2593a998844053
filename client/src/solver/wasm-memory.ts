// Where things lie in the memory of the WebAssembly kernels; the first page is enough. Offsets in bytes.

/** The stem's table, filled by `prepareStem`. */
export const tableOffset = 0;
/** Room for the table, in words. */
export const tableWords = 64;
/** The round constants of words that change with the tail, put there by the module itself. */
export const constantsOffset = 256;
/** Word 13 for each tail. */
export const tailsOffset = 512;
