import { type Mutation, test } from '../mutation.ts';

/** Servers that work, but can be overloaded or deceived. */
export const availability: Mutation[] = [
  {
    name: 'read the body before authentication',
    file: 'server/contract/router.ts',
    from: '    const { context, caller } = await authenticate(perRequest, head, req, res);',
    to: `    res.locals.early =
      'operation' in head && (await head.operation.body.read(req, res, head.info.address, []));
    const { context, caller } = await authenticate(perRequest, head, req, res);`,
    also: [
      {
        file: 'server/contract/router.ts',
        from: 'await operation.body.read(req, res, caller, faults);',
        to: "caller === '' ? await operation.body.read(req, res, caller, faults) : res.locals.early;",
      },
    ],
    failures: [test('test/contract/order', 'rejects an unknown token before the body is read')],
  },
  {
    name: 'decompress a body without a limit',
    file: 'server/contract/request/bodies/inflate.ts',
    from: 'if (bytes > maxBytes) {',
    to: 'if (bytes > maxBytes * 1000) {',
    failures: [test('test/unit/convert/inflate', 'rejects a body that exceeds the limit')],
  },
  {
    name: 'serve all requests of a connection concurrently',
    file: 'server/contract/listener.ts',
    from: '    if (!this.#isServing) {',
    to: '    if (!this.#isServing || !this.#isFull) {',
    failures: [test('test/unit/server/listener', 'serves the requests of a connection one after the other')],
  },
  {
    name: 'count requests by the header of their token',
    file: 'server/contract/router.ts',
    from: 'await rateLimit?.countCaller(caller, res);',
    to: "await rateLimit?.countCaller(req.headers.authorization ?? '', res);",
    failures: [
      test('test/contract/rate-limit', 'counts a token in one budget'),
      test('test/service/requests/rate-limit', 'a server\\W+counts by token'),
    ],
  },
  {
    name: 'look up every invented token without a limit',
    file: 'server/contract/limits/rate-limit.ts',
    from: 'await this.#count(address, FAILED_CREDENTIAL_COST, res);',
    to: 'await this.#count(address, 0, res);',
    failures: [test('test/contract/rate-limit', 'limits the lookups of invented tokens, all at once')],
  },
  {
    name: 'cache tokens beyond their revocation',
    file: 'server/identity/caller.ts',
    from: '  if (!isWellFormedToken(bearer)) {',
    to: `  const caller = known.get(bearer) ?? (await lookUp(queries, bearer, now));
  known.set(bearer, caller);
  return caller;
}
const known = new Map<string, Caller>();
async function lookUp(queries: Queries, bearer: string, now: Date, selectsWrites = false): Promise<Caller> {
  if (!isWellFormedToken(bearer)) {`,
    failures: [test('test/service/access/tokens', 'ends immediately when it is revoked')],
  },
  {
    name: 'record events after their transaction',
    file: 'server/app/request-context.ts',
    from: '      return auditorOf(shared, { actor: { user: id, token: token.id }, requestId, address });',
    to: `      const record = auditorOf(shared, { actor: { user: id, token: token.id }, requestId, address });
      return async (_trx: unknown, event: Parameters<typeof record>[1]) => {
        setImmediate(() => shared.database.transaction((trx) => record(trx, event)).catch(() => {}));
      };`,
    failures: [test('test/service/audit/events', 'rolls deleteTeam back')],
  },
  {
    name: 'admit visitors with an inactive share link',
    file: 'server/platform/sites/visitors/admit.ts',
    from: 'return link?.active === 1;',
    to: 'return link !== undefined;',
    failures: [test('test/service/sites/visitors/visitors', 'are admitted while the link is active')],
  },
  {
    name: 'accept any signature of a URL',
    file: 'server/identity/signatures.ts',
    from: 'expected.length === received.length && timingSafeEqual(expected, received);',
    to: 'expected.length === received.length || timingSafeEqual(expected, received);',
    failures: [test('test/service/files/files', 'is valid only as issued: type')],
  },
  {
    name: 'serve files of a deleted space',
    file: 'server/platform/spaces/spaces/queries.ts',
    from: '    if (isHidden || !spacePermissions(levels).admin) {',
    to: "    if ((isHidden && permission !== 'view') || !spacePermissions(levels).admin) {",
    failures: [test('test/service/files/files', 'stops working with its space')],
  },
  {
    name: 'reveal what a host name resolves to',
    file: 'server/outgoing/addresses.ts',
    from: "    'unresolved',\n    `The host",
    to: "    'unresolved',\n    String(cause) + `The host",
    failures: [test('test/unit/outgoing/addresses', 'distinguishes an internal name from a missing one')],
  },
  {
    name: 'do not validate branch names in requests',
    file: 'server/outgoing/git/git-address.ts',
    from: '    forbidden.test(name) ||\n',
    to: "    forbidden.test('') ||\n",
    failures: [
      test('test/service/git/refused-sources', 'a Git import\\W+of the ref "refs/heads/a b" is a 400'),
    ],
  },
  {
    name: 'make the data folder readable for every account',
    file: 'server/database/folder/private-folder.ts',
    from: 'const FOLDER_MODE = 0o700;',
    to: 'const FOLDER_MODE = 0o755;',
    failures: [test('test/journeys/process/folder', 'is private, with all of its files')],
  },
  {
    name: 'let a second server use the data folder',
    file: 'server/database/folder/folder-lock.ts',
    from: "    lock.exec('begin exclusive');",
    to: "    lock.exec('select 1');",
    failures: [test('test/journeys/process/folder', 'is used by one server at a time')],
  },
  {
    name: 'hold the lock after a failing rollback',
    file: 'server/database/engines/sqlite.ts',
    from: `      if (handle.isTransaction) {
        handle.exec('rollback');
      }
    } catch {
      // The caller receives the original error.
      this.#writer.drop();
    }`,
    to: `      handle.exec('rollback');
    } finally {
      // Nothing.
    }`,
    failures: [test('test/service/database/outages-sqlite', 'fails writes but not reads on a full disk')],
  },
  {
    name: 'let calls wait for the database without a limit',
    file: 'server/database/engines/semaphore.ts',
    from: "      throw new DatabaseUnavailableError('overloaded');\n",
    to: '',
    also: [
      {
        file: 'server/database/engines/semaphore.ts',
        from: '    this.#maxWaiting = options.maxWaiting;',
        to: '    this.#maxWaiting = options.maxWaiting;\n    void this.#maxWaiting;',
      },
    ],
    failures: [test('test/unit/server/semaphore', 'limits the waiting requests')],
  },
  {
    name: 'let one organization fill the queue of searches',
    file: 'server/database/search/searches.ts',
    from: 'perOwner: MAX_QUEUED_SEARCHES_PER_OWNER,',
    to: 'perOwner: MAX_QUEUED_SEARCHES,',
    failures: [
      test(
        'test/service/search/threads',
        'waits in a queue with a limit for the members of each organization',
      ),
    ],
  },
  {
    name: 'create twice for one idempotency key',
    file: 'server/database/writes.ts',
    from: 'await writes.beforeFirstCommit?.(trx);',
    to: 'void trx;',
    failures: [
      test(
        'test/service/requests/idempotency-keys',
        'creates once for a key, and returns the first response again',
      ),
    ],
  },
];
