// Runs on one engine: sections are found by the statements of the search of a site.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { QUESTION_LIMITS } from '../../../../server/platform/kit/slots.ts';
import {
  MAX_PAGE_PASSAGES,
  MAX_PASSAGE_CHARACTERS,
  MAX_PASSAGES,
} from '../../../../server/platform/sites/published-reading/rules.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { spaceFrom } from '../../../support/sites/published-site.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';
import {
  ANSWER,
  completion,
  endless,
  type FakeLanguageModel,
  json,
  startLanguageModel,
} from '../../../support/translations/language-model.ts';

type Schemas = components['schemas'];

const SITE = '/v1/orgs/{organizationId}/sites/{siteId}';
const BETA = 'visitor.claims.beta == true';
const KEY = 'sk-secret-of-the-operator';

let server: TestServer;
let git: GitServer;
let model: FakeLanguageModel;
let site: VisitedSite;
let space: Schemas['Space'];
let url: string;

beforeAll(async () => {
  [git, model] = await Promise.all([startGitServer(), startLanguageModel()]);
  server = await startTestServer({
    COLOPHON_ASK_URL: `${model.url}/v1`,
    COLOPHON_ASK_MODEL: 'small',
    COLOPHON_ASK_KEY: KEY,
  });
  const sections = Array.from({ length: 5 }, (_, at) => `## Part ${at}\n\nManyword ${at}.\n`);
  const pages = Array.from({ length: 5 }, (_, at) => `many${at}.md`);
  const guide = await spaceFrom(server, git, 'Guide', {
    'README.md': '# Guide\n\nWelcome.\n',
    'setup.md': `# Setup\n\n## Install\n\nInstall the widget with the wizard.\n\n{% if ${BETA} %}\nHiddenword of the widget\n{% endif %}\n`,
    'long.md': `# Long\n\nLongword ${'x '.repeat(MAX_PASSAGE_CHARACTERS)}\n`,
    ...Object.fromEntries(pages.map((file, at) => [file, `# Many ${at}\n\n${sections.join('\n')}`])),
    'SUMMARY.md': `* [Guide](README.md)\n* Group\n  * [Setup](setup.md)\n* [Long](long.md)\n${pages
      .map((file, at) => `* [Many ${at}](${file})\n`)
      .join('')}`,
  });
  space = guide.space;
  const beta = await spaceFrom(server, git, 'Beta', { 'README.md': '# Beta\n\nWidget of betaword.\n' });
  site = await VisitedSite.create(server, { title: 'Acme', spaces: [space.id] });
  await site.addConditionalSection(beta.space.id, 'Beta', BETA);
  url = (await site.publish()).urls.published ?? '';
});
afterAll(async () => {
  await Promise.all([git.close(), model.close()]);
  await server.stop();
});
beforeEach(() => model.reset());

const ask = (question: string, token?: string) =>
  server.as(token).POST(`${SITE}/ask`, {
    params: { path: site.path },
    body: { question, scope: { mode: 'all' } },
  });

/** Returns the passages of the last request to the model. */
function passages(): { page: string; section: string; url: string; text: string }[] {
  const content = model.requests.at(-1)?.body.messages.at(-1)?.content ?? '';
  // Written by the server under test.
  return (JSON.parse(content) as { passages: ReturnType<typeof passages> }).passages;
}

describe('an answer', () => {
  test('is that of the language model, with the pages that it received', async () => {
    const { answer, sources } = await ok(ask('How do I install the widget?'));
    expect(answer).toBe(ANSWER);
    expect(sources).toEqual([
      {
        ...{ type: 'page', page: expect.any(String), space: space.id, revision: space.revision },
        ...{ title: 'Setup', urls: { app: `${url}/group/setup` }, sections: [expect.any(String)] },
      },
    ]);
    expect(model.requests).toMatchObject([
      { url: '/v1/chat/completions', headers: { authorization: `Bearer ${KEY}` }, body: { model: 'small' } },
    ]);
    const [system, user] = model.requests[0]?.body.messages ?? [];
    expect([system?.role, user?.role]).toEqual(['system', 'user']);
    expect(JSON.parse(user?.content ?? '')).toMatchObject({ question: 'How do I install the widget?' });
    expect(passages()).toEqual([
      {
        ...{ page: 'Group > Setup', section: 'Install', url: `${url}/group/setup#install` },
        text: expect.stringContaining('Install the widget with the wizard.'),
      },
    ]);
  });

  test('has the sources that exist', async () => {
    const { sources } = await ok(ask('How do I install the widget?'));
    const [source] = sources;
    const { data } = await server.admin.client.GET(
      '/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}',
      {
        params: {
          path: {
            spaceId: source?.space ?? '',
            revisionId: source?.revision ?? '',
            pageId: source?.page ?? '',
          },
        },
      },
    );
    expect(data).toMatchObject({ title: 'Setup' });
  });

  test('is made from what the visitor sees', async () => {
    const sent = async (beta: boolean) => {
      await ok(ask('Where is the widget of betaword and hiddenword?', await site.visitorToken({ beta })));
      return model.requests.at(-1)?.body.messages.at(-1)?.content ?? '';
    };
    const [seen, hidden] = [await sent(true), await sent(false)];
    expect(seen).toContain('Widget of betaword');
    expect(seen).toContain('Hiddenword of the widget');
    expect(hidden).toContain('Install the widget');
    expect(hidden).not.toContain('Widget of betaword');
    expect(hidden).not.toContain('Hiddenword of the widget');
  });

  test('is made from a bounded number of bounded sections', async () => {
    const { sources } = await ok(ask('manyword'));
    expect(passages()).toHaveLength(MAX_PASSAGES);
    expect(sources.map(({ sections }) => sections.length)).toEqual([MAX_PAGE_PASSAGES, MAX_PAGE_PASSAGES, 2]);
    await ok(ask('longword'));
    expect(passages().map(({ text }) => text.length)).toEqual([MAX_PASSAGE_CHARACTERS]);
  });

  test('is omitted if the search finds nothing, and the model is not asked', async () => {
    for (const question of ['Xyzzy?', '', ' ', '"widget xyzzy"']) {
      expect(await ok(ask(question))).toEqual({ sources: [] });
    }
    expect(model.requests).toEqual([]);
  });

  test('requires a question of a limited length, in a site that the visitor can read', async () => {
    expect((await ask('x'.repeat(513))).response.status).toBe(400);
    await site.update({ visibility: 'visitor-auth' });
    expect((await ask('widget')).response.status).toBe(401);
    await site.update({ visibility: 'public' });
    expect(model.requests).toEqual([]);
    expect((await ask(`widget ${'\u{1f600}'.repeat(505)}`)).response.status).toBe(200);
  });
});

test.each<[string, FakeLanguageModel['respond']]>([
  ['fails', json({ error: { message: `Incorrect API key: ${KEY}` } }, 500)],
  ['limits the rate', json({ error: {} }, 429)],
  ['returns no JSON', (response) => void response.end('<html>')],
  ['returns no text', json(completion(null))],
  ['returns too much', json(completion('x'.repeat(1_000_000)))],
  ['does not end its response', endless],
  ['closes the connection', (response) => void response.destroy()],
])('a model that %s is reported with a reason, without the service and its key', async (_name, respond) => {
  model.respond = respond;
  const { response, error } = await ask('widget');
  expect([response.status, error?.reason]).toEqual([502, 'language_model_failed']);
  expect(error?.message).toMatch(/^The language model did not answer the question: .+\. Try again later\.$/);
  expect(JSON.stringify(error)).not.toContain(KEY);
  expect(JSON.stringify(error)).not.toContain(new URL(model.url).host);
});

test('a limited number of questions of an organization is asked at a time, and waits', async () => {
  const { perOwner, waitingPerOwner } = QUESTION_LIMITS;
  const held: (() => void)[] = [];
  model.respond = (response) => void held.push(() => json(completion(ANSWER))(response));
  const responses = Array.from({ length: perOwner + waitingPerOwner + 1 }, () => ask('widget'));
  const rejected = await Promise.race(responses);
  expect([rejected.response.status, rejected.error?.reason]).toEqual([503, 'unavailable']);
  expect(model.requests.length).toBeLessThanOrEqual(perOwner);
  model.respond = json(completion(ANSWER));
  for (const respond of held) {
    respond();
  }
  const statuses = (await Promise.all(responses)).map(({ response }) => response.status);
  expect(statuses.toSorted()).toEqual([...Array(perOwner + waitingPerOwner).fill(200), 503]);
});
