import { type RouteConfig, route } from '@react-router/dev/routes';

export default [
  route('contact', 'routes/contact.tsx'),
  route('thanks', 'routes/thanks.tsx'),
] satisfies RouteConfig;
