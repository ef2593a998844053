// What Vite makes of an import that ends in `?url`.
declare module '*?url' {
  const url: string;
  export default url;
}
