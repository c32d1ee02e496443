// Runs on one engine: slots are counted in memory.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OwnerSlotBounds, OwnerSlots } from '../../../../server/contract/limits/slots.ts';
import {
  FEED_LIMITS,
  feedSlots,
  LOOKUP_LIMITS,
  lookupSlots,
  TREE_LIMITS,
  treeSlots,
} from '../../../../server/platform/sites/reading/slots.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';

let server: TestServer;
let git: GitServer;
beforeAll(async () => {
  server = await startTestServer();
  git = await startGitServer();
});
afterAll(async () => {
  await git.close();
  await server.stop();
});

/** Occupies all slots and waiting places of the organization, as other visitors do. Returns a function to leave them. */
async function occupy(slots: OwnerSlots, { perOwner, waitingPerOwner }: OwnerSlotBounds) {
  const entered = Array.from({ length: perOwner + waitingPerOwner }, () =>
    slots.enter(server.organization, () => new Error('Refused.')),
  );
  await Promise.all(entered.slice(0, perOwner));
  return async () => {
    for (const slot of entered) {
      (await slot)[Symbol.dispose]();
    }
  };
}

describe('work that visitors cause is limited', () => {
  test.each([
    ['reading a page tree', '', treeSlots, TREE_LIMITS, 200],
    ['making a sitemap', '/sitemap.xml', feedSlots, FEED_LIMITS, 200],
    ['making a list of pages', '/llms.txt', feedSlots, FEED_LIMITS, 200],
    ['looking up a moved page', '/nowhere', lookupSlots, LOOKUP_LIMITS, 404],
  ] as const)('%s', async (_work, path, slots, limits, status) => {
    const { space } = await spaceFrom(server, git, 'Guide', { 'README.md': '# Guide\n' });
    const { url } = await publishSite(server, { spaces: [space.id] });
    const read = async () => {
      const response = await fetch(`${url}${path}`);
      await response.arrayBuffer();
      return { status: response.status, retryAfter: response.headers.get('retry-after') };
    };
    const leave = await occupy(slots, limits);
    expect(await read()).toEqual({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    await leave();
    expect(await read()).toEqual({ status, retryAfter: null });
  });
});
