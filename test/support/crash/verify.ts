import { expect } from 'vitest';
import { type Client, ok } from '../../../client/index.ts';
import { flatten, readTree } from '../imports.ts';
import type { Branch, Ledger, WrittenPage } from './ledger.ts';

/**
 * Checks that all that was acknowledged in a space is there, that what was not is there whole or not at all, and
 * nothing else.
 */
export async function verify(client: Client, spaceId: string, ledger: Ledger): Promise<void> {
  const shown = await pagesOf(client, spaceId);
  const titles = [...shown.keys()];
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
    const id = shown.get(page.title);
    if (id !== undefined) {
      await verifyText(client, { spaceId, pageId: id }, page);
    }
  }
}

/** Answers the pages that a change request brought to the space; undefined where it was not merged. */
async function verifyBranch(
  client: Client,
  spaceId: string,
  branch: Branch,
): Promise<WrittenPage[] | undefined> {
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
  const there = new Set(flatten(tree.pages).map(({ title }) => title));
  for (const { title } of branch.pages) {
    expect(there).toContain(title);
  }
  for (const { title } of branch.refused) {
    expect(there).not.toContain(title);
  }
  // Settled now: whatever was not answered happened, or never will.
  for (const page of branch.unsure.splice(0)) {
    if (there.has(page.title)) {
      branch.pages.push(page);
    }
  }
  branch.merge = merged ? 'done' : 'no';
  return merged ? branch.pages : undefined;
}

async function verifyText(
  client: Client,
  path: { spaceId: string; pageId: string },
  page: WrittenPage,
): Promise<void> {
  const read = await ok(
    client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path, query: { format: 'markdown' } },
    }),
  );
  expect(read).toMatchObject({ title: page.title, markdown: expect.stringContaining(page.text) });
}

/** The ids of the pages of a space by their titles. */
async function pagesOf(client: Client, spaceId: string): Promise<Map<string, string>> {
  const pages = flatten(await readTree(client, spaceId));
  const byTitle = new Map(pages.map(({ title, id }) => [title, id]));
  expect(byTitle.size).toBe(pages.length);
  return byTitle;
}
