import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Client, ok } from '../../../client/platform/index.ts';
import type { ServedRepository } from '../git/git-server.ts';
import type { Branch, Ledger } from './ledger.ts';

/** Resources that the load writes to. */
export interface Targets {
  organizationId: string;
  /** Space that is written through change requests. */
  written: string;
  /** Space that is imported from the repository. */
  imported: string;
  repository: ServedRepository;
}

/** When the load ends. */
export interface LoadOptions {
  signal: AbortSignal;
  /** Whether the server keeps running, so that a request without a response is an error. */
  keepsServer: boolean;
}

/**
 * Writes, merges, imports and creates teams as fast as possible, until the server is killed or `signal` aborts, and
 * records the responses in the ledger. A 503 counts as no response, unless it promises that nothing was written.
 */
export async function load(
  client: Client,
  targets: Targets,
  ledger: Ledger,
  options: LoadOptions,
): Promise<void> {
  const work = [
    () => writeAndMerge(client, targets.written, ledger),
    () => writeAndMerge(client, targets.written, ledger),
    () => importNext(client, targets, ledger, options.signal),
    () => createTeam(client, targets.organizationId, ledger),
  ];
  await Promise.all(work.map((step) => untilKilled(step, ledger, options)));
}

/** SQLite reports an I/O error if it has no space for the index of its log. */
const NO_SPACE = /no space left|The disk of the database failed/;

/** Repeats until the signal aborts, or a killed server sends no response. Other errors fail the test. */
async function untilKilled(
  work: () => Promise<void>,
  ledger: Ledger,
  { signal, keepsServer }: LoadOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      if (error.kind === 'network' && !keepsServer) {
        return;
      }
      if (error.status !== 503) {
        throw error;
      }
      if ((error.retryAfter === undefined) !== (error.reason === 'outcome_unknown')) {
        throw new Error('A 503 has Retry-After exactly if nothing was written.', { cause: error });
      }
      if (NO_SPACE.test(error.message)) {
        ledger.fullDiskResponses += 1;
      }
    }
  }
}

/** Whether a request was rejected with the promise that it changed nothing. */
function wroteNothing(error: unknown): boolean {
  return error instanceof ApiError && error.message.includes('Nothing was written');
}

/** Recorded by the audit trail in the same transaction. */
async function createTeam(client: Client, organizationId: string, ledger: Ledger): Promise<void> {
  const { teams } = ledger;
  const title = ledger.nextTeam();
  const params = { path: { organizationId } };
  try {
    await ok(client.PUT('/v1/orgs/{organizationId}/teams', { params, body: { title } }));
    teams.created.add(title);
  } catch (error) {
    if (wroteNothing(error)) {
      teams.rejected.add(title);
    }
    throw error;
  }
}

async function writeAndMerge(client: Client, spaceId: string, ledger: Ledger): Promise<void> {
  const created = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
  );
  const branch = ledger.branch(spaceId, created.id);
  const params = { path: { spaceId, changeRequestId: created.id } };
  for (let page = 0; page < 3; page++) {
    await write(client, spaceId, branch, ledger);
  }
  branch.merge = 'requested';
  const { result, revision } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params }),
  );
  if (result !== 'merge') {
    throw new Error(`Two unrelated pages conflicted: ${result}.`);
  }
  branch.merge = 'done';
  ledger.mergedRevisions.add(revision);
}

async function write(client: Client, spaceId: string, branch: Branch, ledger: Ledger): Promise<void> {
  const page = ledger.nextPage();
  branch.unconfirmed.push(page);
  const params = { path: { spaceId, changeRequestId: branch.id } };
  const body = {
    changes: [{ operation: 'insert_page' as const, title: page.title, document: { markdown: page.text } }],
  };
  try {
    await ok(client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', { params, body }));
    branch.pages.push(page);
    branch.unconfirmed.pop();
  } catch (error) {
    if (wroteNothing(error)) {
      branch.rejected.push(...branch.unconfirmed.splice(0));
    }
    throw error;
  }
}

async function importNext(
  client: Client,
  { imported, repository }: Targets,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  const path = { spaceId: imported };
  const read = async () => (await ok(client.GET('/v1/spaces/{spaceId}', { params: { path } }))).revision;
  const text = `# Counter\n\n${ledger.commits.length + 1} commits.\n`;
  ledger.commits.push(await repository.update({ 'counter.md': text }));
  const before = await read();
  await ok(
    client.POST('/v1/spaces/{spaceId}/git/import', {
      params: { path },
      body: { url: repository.url, ref: 'refs/heads/main' },
    }),
  );
  ledger.importedCommits = ledger.commits.length;
  // So that the fault interrupts a running import rather than a long queue of imports.
  while (!signal.aborted && (await read()) === before) {
    await delay(20);
  }
}
