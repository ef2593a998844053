// The client libraries without types that this compiler finds.
declare module 'react-google-recaptcha' {
  const component: import('react').ComponentType<Record<string, unknown>>;
  export default component;
}

declare module 'vue3-recaptcha2' {
  const component: import('vue').Component;
  export default component;
}
