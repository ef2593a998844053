// The vendors' client libraries in a page: the library in its address, mounted as documented.
import hcaptchaLibrary from '@hcaptcha/react-hcaptcha';
import { Turnstile } from '@marsidev/react-turnstile';
import { type ComponentType, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import ReCAPTCHA from 'react-google-recaptcha';
import { GoogleReCaptchaProvider, useGoogleReCaptcha } from 'react-google-recaptcha-v3';
import Reaptcha from 'reaptcha';
import { load } from 'recaptcha-v3';
import { createApp, h } from 'vue';
import VueTurnstile from 'vue-turnstile';
import vueRecaptcha from 'vue3-recaptcha2';

declare global {
  /** Script address: the service with its prefix. */
  var service: string;
  /** Calls from the component to its page, oldest first. */
  var told: unknown[];
  /** Methods of the component that the test calls. */
  var methods: Readonly<Record<string, () => unknown>>;
}

/** A component without the types of its properties: some libraries have none for this version of React. */
// biome-ignore lint/suspicious/noExplicitAny: any export of the library
type AnyComponent = ComponentType<any>;

const HCaptcha = hcaptchaLibrary as unknown as AnyComponent;

/** Methods of a component's reference. */
type Reference<Methods extends string> = { current: Record<Methods, (options?: object) => unknown> | null };

const tell = (...values: unknown[]) => void told.push(...values);
const sitekey = 'shop';
const place = document.getElementById('app') as HTMLElement;
const mount = (component: AnyComponent, properties: object) => {
  const root = createRoot(place);
  root.render(createElement(component, properties));
  return root;
};

const clients: Readonly<Record<string, () => void>> = {
  'react-google-recaptcha'() {
    const ref: Reference<'reset' | 'getValue'> = { current: null };
    mount(ReCAPTCHA, { sitekey, ref, onChange: tell });
    globalThis.methods = { reset: () => ref.current?.reset(), value: () => ref.current?.getValue() };
  },
  'react-google-recaptcha-v3'() {
    const Page = () => {
      const { executeRecaptcha } = useGoogleReCaptcha();
      globalThis.methods = { execute: () => executeRecaptcha?.('pay/card'), unmount: () => root.unmount() };
      return executeRecaptcha === undefined ? null : createElement('output', {}, 'ready');
    };
    const root = mount(GoogleReCaptchaProvider as AnyComponent, {
      reCaptchaKey: sitekey,
      children: createElement(Page),
    });
  },
  reaptcha() {
    mount(Reaptcha as unknown as AnyComponent, { sitekey, onVerify: tell });
  },
  'recaptcha-v3'() {
    const loaded = load(sitekey, { customUrl: `${service}/recaptcha/api.js` });
    globalThis.methods = { execute: async () => (await loaded).execute('first') };
  },
  'vue3-recaptcha2'() {
    createApp({ render: () => h(vueRecaptcha, { sitekey, onVerify: tell }) }).mount(place);
  },
  'react-hcaptcha'() {
    const ref: Reference<'execute' | 'getResponse' | 'getRespKey'> = { current: null };
    mount(HCaptcha, { sitekey, ref, apihost: service, onVerify: tell });
    globalThis.methods = {
      execute: () => ref.current?.execute({ async: true }),
      response: () => [ref.current?.getResponse(), ref.current?.getRespKey()],
    };
  },
  async 'vanilla-hcaptcha'() {
    await import('@hcaptcha/vanilla-hcaptcha');
    const element = document.createElement('h-captcha');
    element.setAttribute('sitekey', sitekey);
    element.setAttribute('jsapi', `${service}/1/api.js`);
    element.addEventListener('verified', (event) =>
      tell(Reflect.get(event, 'token'), Reflect.get(event, 'eKey')),
    );
    place.append(element);
  },
  'react-turnstile'() {
    mount(Turnstile, {
      siteKey: sitekey,
      injectScript: false,
      onSuccess: tell,
      options: { action: 'sign-up', cData: 'order-7' },
    });
  },
  'vue-turnstile'() {
    let model = '';
    const onUpdate = (token: string) => {
      model = token;
      if (token !== '') tell(token);
    };
    const properties = () => ({
      siteKey: sitekey,
      modelValue: model,
      'onUpdate:modelValue': onUpdate,
      ref: 'widget',
    });
    const app = createApp({ render: () => h(VueTurnstile, properties()) }).mount(place);
    globalThis.methods = { reset: () => (app.$refs.widget as { reset(): void }).reset() };
  },
};

globalThis.told = [];
clients[location.search.slice(1)]?.();
