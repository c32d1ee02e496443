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
} from '../habit.ts';

const write = closed({ name: { type: 'string', maxLength: 9 } }, ['name']);

const ofKey = closed({ keyId: { type: 'string' } }, ['keyId']);

/** Resources that nothing deletes, such as accounts and backups, what they contain, and what they are made from. */
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
      '/accounts/{accountId}/backups': {
        parameters: [inPath('accountId')],
        post: {
          operationId: 'createBackup',
          requestBody: body(ofKey),
          responses: responses(201, ref('OfKey')),
        },
      },
      '/accounts/{accountId}/backups/{backupId}': {
        parameters: [inPath('accountId'), inPath('backupId')],
        get: { operationId: 'getBackup', responses: responses(200, ref('OfKey')) },
      },
      '/accounts/{accountId}/aliases': {
        parameters: [inPath('accountId')],
        post: {
          operationId: 'createAlias',
          requestBody: body(ofKey),
          responses: responses(201, ref('OfKey')),
        },
      },
      '/accounts/{accountId}/aliases/{aliasId}': {
        parameters: [inPath('accountId'), inPath('aliasId')],
        get: { operationId: 'getAlias', responses: responses(200, ref('OfKey')) },
        delete: { operationId: 'deleteAlias', responses: responses(204) },
      },
    },
    {
      OfKey: closed({ id: { type: 'string' }, keyId: { type: 'string' } }, ['id', 'keyId']),
      Named: closed({ id: { type: 'string' }, name: { type: 'string', maxLength: 9 } }, ['id', 'name']),
    },
  ),
  faults: { 'ignores replacements': 'read-after-update', 'loses keys': 'read-after-create' },
  count: () => accounts.size,
  handlers(fault) {
    accounts.clear();
    const next = counter('id');
    const accountOf = (path: Record<string, string>) => found(accounts.get(path.accountId ?? ''));
    const keysOf = (path: Record<string, string>) => accountOf(path).keys;
    /** Creates what is made from an existing key. */
    const createFrom = (path: Record<string, string>, body: unknown, kind: 'backups' | 'aliases') => {
      const { keyId } = body as { keyId: string };
      if (!keysOf(path).has(keyId)) {
        return reject(400);
      }
      const created = { id: next(), keyId };
      accountOf(path)[kind].set(created.id, created);
      return { status: 201, body: created };
    };
    return {
      createAccount: ({ body }) => {
        const account = { id: next(), ...(body as { name: string }) };
        accounts.set(account.id, { account, keys: new Map(), backups: new Map(), aliases: new Map() });
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
      createBackup: ({ path, body }) => createFrom(path, body, 'backups'),
      getBackup: ({ path }) => ({
        status: 200,
        body: found(accountOf(path).backups.get(path.backupId ?? '')),
      }),
      createAlias: ({ path, body }) => createFrom(path, body, 'aliases'),
      getAlias: ({ path }) => ({ status: 200, body: found(accountOf(path).aliases.get(path.aliasId ?? '')) }),
      deleteAlias: ({ path }) =>
        accountOf(path).aliases.delete(path.aliasId ?? '') ? { status: 204 } : reject(404),
      deleteKey: ({ path }) => (keysOf(path).delete(path.keyId ?? '') ? { status: 204 } : reject(404)),
    };
  },
};

interface Named {
  id: string;
  name: string;
}
interface OfKey {
  id: string;
  keyId: string;
}
const accounts = new Map<
  string,
  { account: Named; keys: Map<string, Named>; backups: Map<string, OfKey>; aliases: Map<string, OfKey> }
>();
