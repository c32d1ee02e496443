import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createContentThreads } from '../../../server/content/threads/threads.ts';
import type { Database } from '../../../server/database/database.ts';
import { MAX_LIST_PAGE_BYTES } from '../../../server/database/lists/keyset.ts';
import { callerIdOf } from '../../../server/identity/caller.ts';
import { presentComments } from '../../../server/platform/content/comments/present.ts';
import { selectComments } from '../../../server/platform/content/comments/queries.ts';
import { branchFor } from '../../../server/platform/content/content-branches/queries.ts';
import { createResourceUrls } from '../../../server/platform/kit/resource-urls.ts';
import { DISCUSSION_TARGETS, Discussion, type ListPage } from '../../support/content/discussion.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let git: GitServer;
const threads = createContentThreads();

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close(), threads.close()]));

/** A database that counts its queries. */
function counting(database: Database): { database: Database; statementCount: () => number } {
  let count = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      count += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const query = database.query.withPlugin(plugin);
  return {
    database: {
      query,
      threadAccess: database.threadAccess,
      transaction: (work) => database.transaction(work),
      inTurn: (key, attempt) => database.inTurn(key, attempt),
      watchWork: (onChange) => database.watchWork(onChange),
      load: () => database.load(),
      ready: () => database.ready(),
      close: () => database.close(),
    },
    statementCount: () => count,
  };
}

test.each(DISCUSSION_TARGETS)(
  'many comments on a %s are read with as many queries as few, for any authors and subjects',
  async (target) => {
    const discussion = await Discussion.start(server, git, target);
    const titles = ['A', 'B'];
    const named = (text: (title: string) => string | null) =>
      Object.fromEntries(titles.map((title) => [`${title.toLowerCase()}.md`, text(title)]));
    await discussion.change(named((title) => `# ${title}\n\nText.\n`));
    const sizes = await discussion.page('Sizes');
    for (const title of titles) {
      // Each on another page, in another revision, by another user.
      const author = await server.member(`${title}-${discussion.spaceId}`, 'comment');
      const page = await discussion.page(title);
      const node = (await discussion.blocks(title))[0]?.key ?? '';
      const { id } = await discussion.comment({ page, node }, author);
      await discussion.update(id, { addedReactions: ['👍'] });
      await discussion.comment({
        page: sizes,
        node: (await discussion.blocks('Sizes'))[0]?.key ?? '',
      });
      await discussion.change({ [`${title.toLowerCase()}.md`]: `# ${title}\n\nText ${title}.\n` });
    }
    await discussion.change(named(() => null));

    const { spaceId, changeRequestId } = discussion;
    const path = { spaceId, ...(changeRequestId !== undefined && { changeRequestId }) };
    const branch = await branchFor(server.database.query, callerIdOf(server.admin.id), path, 'view');
    const rows = await selectComments(server.database.query, branch).execute();
    expect(rows).toHaveLength(4);
    const queriesFor = async (some: typeof rows) => {
      const { database, statementCount } = counting(server.database);
      const resourceUrls = createResourceUrls(server.url);
      const caller = { id: callerIdOf(server.admin.id) };
      const services = { caller, database, resourceUrls, threads };
      const shown = await presentComments(services, branch, some, undefined);
      expect(shown.map(({ id }) => id)).toEqual(some.map(({ id }) => id));
      return statementCount();
    };
    // One on a deleted page, one on an existing page.
    const few = [...Map.groupBy(rows, ({ page }) => page === sizes).values()].flatMap(
      ([first]) => first ?? [],
    );
    expect(few).toHaveLength(2);
    expect(await queriesFor(rows)).toBe(await queriesFor(few));
  },
);

// The engine reads the rows of both targets with the same query.
test.each(isFirstEngine ? DISCUSSION_TARGETS : DISCUSSION_TARGETS.slice(0, 1))(
  'large comments and replies on a %s are listed a few at a time',
  async (target) => {
    const discussion = await Discussion.start(server, git, target);
    const body = { markdown: 'A line. '.repeat(120_000) };
    expect(2 * body.markdown.length).toBeLessThan(MAX_LIST_PAGE_BYTES);
    const small = await discussion.comment();
    const large = [];
    for (let at = 0; at < 5; at++) {
      large.push((await discussion.comment({ body })).id);
    }
    for (let at = 0; at < 5; at++) {
      await discussion.reply(small.id, body.markdown);
    }
    for (const path of ['/comments', `/comments/${small.id}/replies`]) {
      const branch: string[] = [];
      const sizes: number[] = [];
      for (let page = ''; ; ) {
        const { body: list } = await discussion.send<ListPage<{ id: string }>>(
          'GET',
          `${path}?limit=1000${page}`,
        );
        branch.push(...list.items.map(({ id }) => id));
        sizes.push(list.items.length);
        if (!list.next) {
          break;
        }
        page = `&page=${encodeURIComponent(list.next.page)}`;
      }
      if (path === '/comments') {
        expect(branch).toEqual([...large.toReversed(), small.id]);
      }
      expect(sizes).toEqual(path === '/comments' ? [4, 2] : [4, 1]);
    }
  },
);
