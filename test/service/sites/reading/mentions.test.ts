// Runs on one engine: references are resolved by the statements of references.test.ts and space-links.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { branch } from '../../../support/content/branches.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { readPdf } from '../../../support/pdf/pdf.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';

let server: TestServer;
let git: GitServer;
let url: string;
let space: string;

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  const ada = await server.member('Ada', 'read');
  const { space: created } = await spaceFrom(server, git, 'Docs', {
    'SUMMARY.md': '* [Home](README.md)\n* [Slow answers](opt/answers.md)\n',
    'README.md': [
      '# Home\n',
      'Page: [answers.md](opt/answers.md "mention").\n',
      'Section: [#c-time](opt/answers.md#c-time "mention").\n',
      'Own: [#own-part](#own-part "mention").\n',
      'Element: [#spot](opt/answers.md#spot "mention").\n',
      'Lost: [#lost](opt/answers.md#lost "mention").\n',
      'File: [a b.pdf](<files/a b.pdf> "mention").\n',
      `User: [@someone](user:${ada.id} "mention").\n`,
      'Web: [https://a.example/](https://a.example/ "mention").\n',
      '## Own part\n',
    ].join('\n'),
    'opt/answers.md': '---\nicon: bolt\n---\n\n# Slow answers\n\n## `C` & *time*\n\n<a id="spot"></a>text\n',
    'files/a b.pdf': 'a file',
  });
  space = created.id;
  ({ url } = await publishSite(server, { spaces: [space] }));
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const EXPECTED = {
  Page: 'Slow answers',
  Section: 'C & time',
  Own: 'Own part',
  Element: 'Slow answers',
  Lost: 'Slow answers',
  File: 'a b.pdf',
  User: 'Ada',
  Web: 'https://a.example/',
};

/** Returns the texts after the names of lines. */
const namedIn = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/^(\w+): (.*?)\.$/gm)].map(([, name, shown = '']) => [name, shown.trim()]),
  );

describe('a mention shows the title of its target', () => {
  test('on a published page', async () => {
    const page = await (await fetch(url)).text();
    const lines = [...page.matchAll(/<p[^>]*>(.*?)<\/p>/gs)].map(([, line = '']) =>
      line.replace(/<[^>]*>/g, '').replaceAll('&amp;', '&'),
    );
    expect(namedIn(lines.join('\n'))).toEqual(EXPECTED);
    expect(page).toMatch(/<a href="[^"]*\/answers" class="mention"><svg/);
    expect(page).toMatch(/<a href="[^"]*\/answers#c-and-time" class="mention"><svg/);
  });

  test('in Markdown', async () => {
    const markdown = await (await fetch(`${url}/readme.md`)).text();
    const texts = markdown.replace(/\[([^\]]*)\]\((?:[^()]*)\)/g, '$1').replaceAll('\\', '');
    expect(namedIn(texts)).toEqual({ ...EXPECTED, Web: expect.stringContaining('https://a.example/') });
    expect(markdown).not.toContain('mention');
  });

  test('in a PDF', async () => {
    const { id: changeRequestId } = await branch(server.admin.client, space);
    const { url: address } = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', {
        params: { path: { spaceId: space, changeRequestId } },
      }),
    );
    const pdf = await readPdf(new Uint8Array(await (await fetch(address)).arrayBuffer()));
    expect(namedIn(pdf.pages.map(({ text }) => text).join('\n'))).toEqual(EXPECTED);
  });

  test('and not what is stored', async () => {
    const { pages } = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId: space } } }),
    );
    const page = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
        params: { path: { spaceId: space, pageId: pages[0]?.id ?? '' }, query: { format: 'markdown' } },
      }),
    );
    expect(JSON.stringify(page)).toContain('[#c-time](opt/answers.md#c-time \\"mention\\")');
  });
});
