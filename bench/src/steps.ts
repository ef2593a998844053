// The steps that `siteverify` cannot do without, in the order in which a bare server gets them.
export const STEPS = [
  'one GETDEL and a hash',
  'a form is read',
  'the MAC of a receipt',
  'a limit in the same script',
  'a line of the log',
  'eight headers',
  'CORS',
] as const;
