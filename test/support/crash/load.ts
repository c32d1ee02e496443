import { ApiError, type Client, ok } from '../../../client/index.ts';
import type { ServedRepository } from '../git-server.ts';
import type { Branch, Ledger } from './ledger.ts';

/** What the load works on. */
export interface Targets {
  /** Written through change requests. */
  written: string;
  /** Imported from the repository. */
  imported: string;
  repository: ServedRepository;
}

/**
 * Writes, merges and imports as fast as it goes, until the server is killed or `signal` aborts; what was answered
 * is in the ledger. A 503 counts as no answer.
 */
export async function load(
  client: Client,
  targets: Targets,
  ledger: Ledger,
  signal = new AbortController().signal,
): Promise<void> {
  await Promise.all([
    untilKilled(() => writeAndMerge(client, targets.written, ledger), signal),
    untilKilled(() => writeAndMerge(client, targets.written, ledger), signal),
    untilKilled(() => importNext(client, targets, ledger, signal), signal),
  ]);
}

/** Repeats until a request gets no answer at all. Other answers that are failures are failures of the test. */
async function untilKilled(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.kind === 'network') return;
      if (error.status !== 503) throw error;
    }
  }
}

async function writeAndMerge(client: Client, spaceId: string, ledger: Ledger): Promise<void> {
  const created = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
  );
  const branch = ledger.branch(created.id);
  const params = { path: { spaceId, changeRequestId: created.id } };
  for (let page = 0; page < 3; page++) await write(client, spaceId, branch, ledger);
  branch.merge = 'asked';
  const { result } = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params }),
  );
  if (result !== 'merge') throw new Error(`Two pages that have nothing in common collided: ${result}.`);
  branch.merge = 'done';
}

async function write(client: Client, spaceId: string, branch: Branch, ledger: Ledger): Promise<void> {
  const page = ledger.nextPage();
  branch.unsure.push(page);
  await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params: { path: { spaceId, changeRequestId: branch.id } },
      body: {
        changes: [{ operation: 'insert_page', title: page.title, document: { markdown: page.text } }],
      },
    }),
  );
  branch.unsure.pop();
  branch.pages.push(page);
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
  ledger.imported = ledger.commits.length;
  // So that the kill finds an import on its way, not a long row of them that wait.
  while (!signal.aborted && (await read()) === before);
}
