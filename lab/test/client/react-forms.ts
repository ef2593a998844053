// Forms of React in a page: with React Hook Form, and with an action as in a Next.js client component.
import '@tollgate/client/element';
import { createElement as h, useActionState } from 'react';
import { createRoot } from 'react-dom/client';
import { useForm } from 'react-hook-form';

const challenge = h('tollgate-challenge');
const button = h('button', { type: 'submit' }, 'Send');

/** Its values lack the fields, because they are those of registered inputs only. */
function HookForm() {
  const { register, handleSubmit } = useForm({ defaultValues: { text: '' } });
  const send = handleSubmit(async (values, event) => {
    const fields = Object.fromEntries(new FormData(event?.target as HTMLFormElement));
    const body = JSON.stringify({ ...fields, ...values });
    const headers = { 'content-type': 'application/json' };
    await fetch('/contact', { method: 'POST', headers, body }).catch(() => {});
  });
  return h('form', { onSubmit: send }, h('input', register('text', { required: true })), challenge, button);
}

/** Its state is the text to display again, because React resets the form. */
function ActionForm() {
  const [text, action] = useActionState(async (_before: string, form: FormData) => {
    const body = new URLSearchParams(form as never);
    const response = await fetch('/contact', { method: 'POST', body }).catch(() => undefined);
    return response?.ok ? '' : String(form.get('text'));
  }, '');
  return h('form', { action }, h('input', { name: 'text', defaultValue: text }), challenge, button);
}

for (const [id, Form] of Object.entries({ hook: HookForm, action: ActionForm })) {
  const root = document.getElementById(id);
  if (root !== null) createRoot(root).render(h(Form));
}
