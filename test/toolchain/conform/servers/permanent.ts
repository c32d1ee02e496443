import {
  body,
  closed,
  counter,
  documentOf,
  found,
  type Habit,
  inPath,
  ref,
  reject,
  responses,
} from './habit.ts';

const write = closed({ name: { type: 'string', maxLength: 9 } }, ['name']);

/** Resources that nothing deletes, such as accounts, and what they contain. */
export const permanent: Habit & { count(): number } = {
  document: documentOf(
    {
      '/accounts': {
        post: {
          operationId: 'createAccount',
          requestBody: body(write),
          responses: responses(201, ref('Named')),
        },
      },
      '/accounts/{accountId}': {
        parameters: [inPath('accountId')],
        get: { operationId: 'getAccount', responses: responses(200, ref('Named')) },
      },
      '/accounts/{accountId}/keys': {
        parameters: [inPath('accountId')],
        post: { operationId: 'createKey', requestBody: body(write), responses: responses(201, ref('Named')) },
      },
      '/accounts/{accountId}/keys/{keyId}': {
        parameters: [inPath('accountId'), inPath('keyId')],
        get: { operationId: 'getKey', responses: responses(200, ref('Named')) },
        put: { operationId: 'replaceKey', requestBody: body(write), responses: responses(200, ref('Named')) },
        delete: { operationId: 'deleteKey', responses: responses(204) },
      },
    },
    { Named: closed({ id: { type: 'string' }, name: { type: 'string', maxLength: 9 } }, ['id', 'name']) },
  ),
  faults: { 'ignores replacements': 'read-after-update', 'loses keys': 'read-after-create' },
  count: () => accounts.size,
  handlers(fault) {
    accounts.clear();
    const next = counter('id');
    const keysOf = (path: Record<string, string>) => found(accounts.get(path.accountId ?? '')).keys;
    return {
      createAccount: ({ body }) => {
        const account = { id: next(), ...(body as { name: string }) };
        accounts.set(account.id, { account, keys: new Map() });
        return { status: 201, body: account };
      },
      getAccount: ({ path }) => ({ status: 200, body: found(accounts.get(path.accountId ?? '')).account }),
      createKey: ({ path, body }) => {
        const key = { id: next(), ...(body as { name: string }) };
        const keys = keysOf(path);
        if (fault !== 'loses keys') {
          keys.set(key.id, key);
        }
        return { status: 201, body: key };
      },
      getKey: ({ path }) => ({ status: 200, body: found(keysOf(path).get(path.keyId ?? '')) }),
      replaceKey: ({ path, body }) => {
        const key = found(keysOf(path).get(path.keyId ?? ''));
        const replaced = { id: key.id, ...(body as { name: string }) };
        keysOf(path).set(key.id, fault === 'ignores replacements' ? key : replaced);
        return { status: 200, body: replaced };
      },
      deleteKey: ({ path }) => (keysOf(path).delete(path.keyId ?? '') ? { status: 204 } : reject(404)),
    };
  },
};

interface Named {
  id: string;
  name: string;
}
const accounts = new Map<string, { account: Named; keys: Map<string, Named> }>();
