/** Integrations that show what other services have. */
import type { FakeReply, FakeRequest } from '../fakes/services.ts';
import type { Scenario } from './scenario.ts';

/** Replies with JSON to requests to a host if their path begins with a text. */
const at =
  (host: string, path: string, json: unknown) =>
  ({ url }: Omit<FakeRequest, 'isKnown'>): FakeReply | undefined =>
    url.host === host && url.pathname.startsWith(path) ? { json } : undefined;

const first =
  (...replies: ReturnType<typeof at>[]) =>
  (request: Omit<FakeRequest, 'isKnown'>): FakeReply | undefined =>
    replies.map((reply) => reply(request)).find((reply) => reply !== undefined);

const FIGMA_IMAGE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40"></svg>';
const FILE = Buffer.from('export const interop = true;\n').toString('base64');
const ISSUE = {
  id: 'i1',
  identifier: 'INT-1',
  title: 'Interop issue',
  url: 'https://linear.app/interop/issue/INT-1',
  description: 'Described.',
  createdAt: '2026-01-01T00:00:00Z',
  priorityLabel: 'High',
  labels: { nodes: [] },
  state: { id: 's1', name: 'Started', type: 'started', color: '#ff0000' },
  creator: { id: 'u1', name: 'Ada', displayName: 'Ada', avatarUrl: null },
  assignee: { id: 'u1', name: 'Ada', displayName: 'Ada', avatarUrl: null },
};
const MAILCHIMP = 'us1.api.mailchimp.com';

export const EMBEDS: Record<string, Scenario> = {
  arcade: {
    unfurls: ['https://app.arcade.software/share/interop1'],
    props: { embed: { flowId: 'interop1', url: 'https://app.arcade.software/share/interop1' } },
    shows: 'demo.arcade.software/interop1',
    replies: at('app.arcade.software', '/api/oembed', {
      type: 'rich',
      title: 'Interop flow',
      width: 800,
      height: 600,
    }),
  },
  figma: {
    unfurls: ['https://www.figma.com/file/interop1/Design?node-id=1-2'],
    props: {
      embed: {
        fileId: 'interop1',
        nodeId: '1:2',
        url: 'https://www.figma.com/file/interop1/Design?node-id=1-2',
      },
    },
    shows: 'Interop file',
    replies: (request) =>
      request.url.host === 'images.figma.com'
        ? { type: 'image/svg+xml', text: FIGMA_IMAGE }
        : first(
            at('api.figma.com', '/v1/images/', { images: { '1:2': 'https://images.figma.com/1.svg' } }),
            at('api.figma.com', '/v1/files/', {
              name: 'Interop file',
              lastModified: '2026-01-01T00:00:00Z',
              thumbnailUrl: 'https://images.figma.com/1.svg',
              nodes: { '1:2': { document: { name: 'Interop node' } } },
            }),
          )(request),
  },
  formspree: {
    settings: { formspree_id: 'https://formspree.io/f/interop', email: true, name: true, message: true },
    press: {
      block: 'formspree',
      state: { email: 'ada@example.com', name: 'Ada', message: 'Hello' },
      action: 'submit',
      host: 'formspree.io',
    },
    replies: at('formspree.io', '/f/interop', { ok: true }),
  },
  'github-files': {
    unfurls: ['https://github.com/interop/repository/blob/main/src/index.ts'],
    props: { 'github-code-block': { url: 'https://github.com/interop/repository/blob/main/src/index.ts' } },
    shows: 'export const interop',
    replies: at('api.github.com', '/repos/interop/repository/contents/', { content: FILE }),
  },
  'gitlab-files': {
    unfurls: ['https://gitlab.com/interop/repository/-/blob/main/src/index.ts'],
    props: {
      'gitlab-code-block': { url: 'https://gitlab.com/interop/repository/-/blob/main/src/index.ts' },
    },
    shows: 'export const interop',
    replies: at('gitlab.com', '/api/v4/projects/', { content: FILE }),
  },
  jira: {
    unfurls: ['https://interop.atlassian.net/browse/INT-1'],
    props: { embed: { url: 'https://interop.atlassian.net/browse/INT-1' } },
    shows: 'Interop issue',
    replies: first(
      at('api.atlassian.com', '/oauth/token/accessible-resources', [
        {
          id: 'site1',
          url: 'https://interop.atlassian.net',
          name: 'interop',
          scopes: ['read:jira-work'],
          avatarUrl: 'https://interop.atlassian.net/avatar.png',
        },
      ]),
      at('api.atlassian.com', '/ex/jira/site1/rest/api/3/issue/INT-1', {
        id: '1',
        key: 'INT-1',
        fields: {
          summary: 'Interop issue',
          issuetype: { name: 'Task', iconUrl: 'https://interop.atlassian.net/task.svg' },
          status: { name: 'Open' },
          assignee: { displayName: 'Ada', avatarUrls: { '16x16': 'https://interop.atlassian.net/ada.png' } },
        },
      }),
    ),
  },
  linear: {
    unfurls: ['https://linear.app/interop/issue/INT-1/interop-issue'],
    props: {
      embed: { url: 'https://linear.app/interop/issue/INT-1/interop-issue', issueId: 'INT-1' },
    },
    shows: 'Interop issue',
    replies: at('api.linear.app', '/graphql', { data: { issue: ISSUE } }),
  },
  lucid: {
    unfurls: ['https://lucid.app/lucidchart/interop1/edit'],
    props: { 'lucid-component': { url: 'https://lucid.app/lucidchart/interop1/edit' } },
  },
  mailchimp: {
    props: { mailchimpSubscribe: { listId: 'list1' } },
    press: {
      block: 'mailchimpSubscribe',
      state: { email: 'ada@example.com' },
      action: 'subscribe',
      host: MAILCHIMP,
    },
    replies: first(
      at('login.mailchimp.com', '/oauth2/metadata', { api_endpoint: `https://${MAILCHIMP}` }),
      at(MAILCHIMP, '/3.0/lists/list1/members', { id: 'm1' }),
      at(MAILCHIMP, '/3.0/lists', { lists: [{ id: 'list1', name: 'Interop' }], total_items: 1 }),
    ),
  },
  marketo: {
    settings: { account: '123-ABC-456' },
    props: { form: { formId: '7', message: 'Thanks' } },
  },
  mermaid: { props: { diagram: { content: 'graph TD; A-->B;' } } },
  plantuml: { props: { diagram: { content: '@startuml\nA -> B\n@enduml' } } },
  runkit: {
    unfurls: ['https://runkit.com/interop/notebook'],
    props: { embed: { content: 'console.log("interop")', nodeVersion: '18.x.x' } },
    replies: at('runkit.com', '/api/users/interop/repositories/notebook/default', {
      content: {
        title: 'Interop',
        cells: [{ content: { type: 'source', text: 'console.log("interop")' } }],
        package: { engines: { node: '18.x.x' } },
      },
    }),
  },
  sentry: {
    unfurls: ['https://interop.sentry.io/issues/123/'],
    props: { embed: { url: 'https://interop.sentry.io/issues/123/', issueId: '123' } },
    shows: 'Interop error',
    replies: at('sentry.io', '/api/0/issues/123/', {
      id: '123',
      shortId: 'INTEROP-1',
      title: 'Interop error',
      culprit: 'index.ts',
      permalink: 'https://interop.sentry.io/issues/123/',
      level: 'error',
      status: 'unresolved',
      count: '3',
      userCount: 1,
      firstSeen: '2026-01-01T00:00:00Z',
      lastSeen: '2026-01-02T00:00:00Z',
      metadata: { type: 'Error', value: 'Interop error' },
      project: { id: '1', name: 'interop', slug: 'interop' },
    }),
  },
  toucantoco: {
    unfurls: ['https://interop.toucantoco.guide/embed/interop1'],
    props: { embed: { toucanId: 'interop1', url: 'https://interop.toucantoco.guide/embed/interop1' } },
  },
};
