// Prebuilt file for pages that can insert only classic scripts: imports `tollgate.js` from its own folder.

const own = (document.currentScript as HTMLScriptElement | null)?.src;
if (!own) {
  throw new Error(
    'Tollgate: classic.js must be loaded by its own classic <script src>, not combined with other scripts or inlined. Use tollgate.js with type="module".',
  );
}
// Not './tollgate.js': a classic script of another origin, loaded without CORS, has no base address for its imports.
void import(new URL('tollgate.js', own).href);
