// The type of an import that ends in `?url`, which Vite resolves.
declare module '*?url' {
  const url: string;
  export default url;
}
