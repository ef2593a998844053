// A driver that compares like a MySQL table with its default collation: without accents, case, width and control
// characters.

const fold = (text) =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{C}]/gu, '')
    .toUpperCase()
    .trimEnd();

/** @param {{ hash: string, account?: string }} options every user's hash, and the first user's account key */
export function foldingDirectory({ hash, account }) {
  const users = [
    { id: 1, email: 'Ada@Example.com', hash, disabled: false, ...(account && { account }) },
    { id: 2, email: 'bob@example.com', hash, disabled: true },
  ];
  return {
    findByEmail: async (key) => users.find((user) => fold(user.account ?? user.email) === fold(key)) ?? null,
    findById: async (id) => users.find((user) => user.id === id),
    health: async () => {},
    close: async () => {},
  };
}

export default () => foldingDirectory(JSON.parse(process.env.FOLDING_DIRECTORY ?? '{"hash":""}'));
