import { expect } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import { flatten, readTree } from '../content/imports.ts';
import type { Branch, Ledger, RequestedPage } from './ledger.ts';

/**
 * Checks that all acknowledged pages of a space exist, that unacknowledged ones exist completely or not at all, and
 * that there are no others.
 */
export async function verify(client: Client, spaceId: string, ledger: Ledger): Promise<void> {
  const idsByTitle = await pagesOf(client, spaceId);
  const titles = [...idsByTitle.keys()];
  const expected = new Set<string>();
  const branches = ledger.of(spaceId);
  for (const branch of branches) {
    const merged = await verifyBranch(client, spaceId, branch);
    if (merged) {
      for (const { title } of merged) {
        expected.add(title);
      }
    }
  }
  expect(titles.sort()).toEqual([...expected].sort());
  for (const page of branches.flatMap(({ pages }) => pages)) {
    const id = idsByTitle.get(page.title);
    if (id !== undefined) {
      await verifyText(client, { spaceId, pageId: id }, page);
    }
  }
}

/** Returns the pages that a change request added to the space; undefined if it was not merged. */
async function verifyBranch(
  client: Client,
  spaceId: string,
  branch: Branch,
): Promise<RequestedPage[] | undefined> {
  const path = { spaceId, changeRequestId: branch.id };
  const { status, revisionMerged } = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', { params: { path } }),
  );
  const merged = status === 'merged';
  expect(revisionMerged !== undefined).toBe(merged);
  if (branch.merge === 'done') {
    expect(status).toBe('merged');
  }
  if (branch.merge === 'no') {
    expect(status).toBe('draft');
  }
  const tree = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', { params: { path } }),
  );
  const existing = new Set(flatten(tree.pages).map(({ title }) => title));
  for (const { title } of branch.pages) {
    expect(existing).toContain(title);
  }
  for (const { title } of branch.rejected) {
    expect(existing).not.toContain(title);
  }
  // Settled now: each request without a response took effect, or never will.
  for (const page of branch.unconfirmed.splice(0)) {
    if (existing.has(page.title)) {
      branch.pages.push(page);
    }
  }
  branch.merge = merged ? 'done' : 'no';
  return merged ? branch.pages : undefined;
}

async function verifyText(
  client: Client,
  path: { spaceId: string; pageId: string },
  page: RequestedPage,
): Promise<void> {
  const read = await ok(
    client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path, query: { format: 'markdown' } },
    }),
  );
  expect(read).toMatchObject({ title: page.title, markdown: expect.stringContaining(page.text) });
}

/** Returns the ids of the pages of a space by title. */
async function pagesOf(client: Client, spaceId: string): Promise<Map<string, string>> {
  const pages = flatten(await readTree(client, spaceId));
  const byTitle = new Map(pages.map(({ title, id }) => [title, id]));
  expect(byTitle.size).toBe(pages.length);
  return byTitle;
}
