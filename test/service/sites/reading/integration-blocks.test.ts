import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { sealingKey, sealSecret } from '../../../../server/outgoing/credentials.ts';
import { MAX_FORM_FIELDS } from '../../../../server/platform/kit/routes/receive-form.ts';
import { MAX_BLOCK_TEXTS } from '../../../../server/platform/sites/reading/integrations/block.ts';
import { MAX_QUEUED_PER_OWNER } from '../../../../server/threads/threads.ts';
import { isFirstEngine } from '../../../support/database/engines.ts';
import { SECRET_KEY } from '../../../support/environment.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import type { ReceivedCall } from '../../../support/integrations/integration-receiver.ts';
import { installed } from '../../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';
import { DevelopedIntegrations, rendered } from '../../../support/sites/site-integrations.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

type Schemas = components['schemas'];
type RenderEvent = Extract<ReceivedCall['event'], { type: 'ui_render' }>;

let server: TestServer;
let git: GitServer;
let integrations: DevelopedIntegrations;
let space: string;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  integrations = new DevelopedIntegrations(server);
  const { space: imported } = await spaceFrom(server, git, 'Handbook', {
    'README.md': [
      '# Handbook',
      '',
      ...['{% @counter/counter start="3" %}', '{% @unknown/block url="https://example.com" %}'],
      ...[
        '{% @failing/block %}',
        '{% @forms/form %}',
        '{% @places/place %}',
        '{% @notes/list %}',
        '{% @menus/menu %}',
      ],
      '```chart\na -> b\n```',
      '{% @counter/counter start="5" %}',
      '{% if visitor.claims.beta %}',
      '{% @counter/counter start="7" %}',
      '{% endif %}',
      '',
    ].join('\n\n'),
  });
  space = imported.id;
});
afterAll(async () => {
  await integrations[Symbol.asyncDispose]();
  await Promise.all([server.stop(), git.close()]);
});

const block = (...children: Schemas['RenderElement'][]): Schemas['RenderRoot'] => ({
  type: 'block',
  children,
});
const button = (label: string, action: string, more: object = {}): Schemas['RenderElement'] => ({
  type: 'button',
  label,
  onPress: { action, ...more },
});
const renderEvent = ({ event }: ReceivedCall): RenderEvent => {
  if (event.type !== 'ui_render') {
    throw new Error(`Unexpected event ${event.type}.`);
  }
  return event;
};

/** Reads a page, and returns the addresses of the frames of its blocks, or of some of its blocks. */
async function framesOf(url: string, init: RequestInit = {}, shown?: string): Promise<string[]> {
  const text = await (await fetch(url, init)).text();
  return [...text.matchAll(/<iframe src="([^"]*)"[^>]* title="([^"]*)"/g)].flatMap(([, src = '', title]) =>
    shown === undefined || title === shown ? [new URL(src, url).href] : [],
  );
}

/** A block as a visitor sees it. */
class Block {
  readonly url: string;
  readonly status: number;
  readonly policy: string;
  readonly html: string;

  constructor(url: string, response: Response, html: string) {
    this.url = url;
    this.status = response.status;
    this.policy = response.headers.get('Content-Security-Policy') ?? '';
    this.html = html;
  }

  static async open(url: string, init: RequestInit = {}): Promise<Block> {
    const response = await fetch(url, init);
    return new Block(url, response, await response.text());
  }

  /** Presses a button, with the values of inputs. */
  async press(label: string, values: [string, string][] = []): Promise<Block> {
    const [, value = ''] =
      new RegExp(`<button[^>]* name="action" value="(\\d+)"[^>]*>${label}</button>`).exec(this.html) ?? [];
    const body = new URLSearchParams([...values, ['session', sessionOf(this)], ['action', value]]);
    return await Block.open(this.url, { method: 'POST', body });
  }
}

const sessionOf = ({ html }: Block): string => /name="session" value="([^"]*)"/.exec(html)?.[1] ?? '';

/** A component that counts how often it was pressed. */
const counter = (call: ReceivedCall): Response => {
  const { props, state = { count: Number(props.start) }, action } = renderEvent(call);
  const count = Number(state.count) + (action?.action === 'add' ? 1 : 0);
  return rendered(block({ type: 'text', children: [`Count: ${count}`] }, button('Add', 'add')), {
    state: { count },
    props,
  });
};

describe('a block of an installed integration', () => {
  test('is a frame with what the integration renders, and handles actions', async () => {
    const site = await publishSite(server, { spaces: [space] });
    expect(await framesOf(site.url)).toEqual([]);
    expect(await (await fetch(site.url)).text()).toContain('counter/counter');
    const { installation, calls } = await integrations.add(
      'counter',
      {
        blocks: [
          { id: 'counter', title: 'Counter' },
          { id: 'chart', title: 'Chart', markdown: { codeblock: 'chart', body: 'content' } },
        ],
        contentSecurityPolicy: 'img-src https://cdn.example.com; frame-src player.example.com',
      },
      counter,
    );
    const frames = await framesOf(site.url);
    // With the block in code, and without the blocks of integrations that are not installed and the conditional block.
    expect(frames).toHaveLength(3);
    const [first = '', second = ''] = frames;
    const shown = await Block.open(first);
    expect(shown.status).toBe(200);
    expect(shown.html).toContain('<p>Count: 3</p>');
    expect(renderEvent(calls.at(-1) ?? fail())).toMatchObject({
      installationId: installation,
      componentId: 'counter',
      props: { start: '3' },
      context: { type: 'document', spaceId: space, editable: false, theme: 'light' },
    });
    expect(renderEvent(calls.at(-1) ?? fail()).auth).toBeUndefined();
    expect((await (await shown.press('Add')).press('Add')).html).toContain('<p>Count: 5</p>');

    // The session of another block is not accepted.
    const [, other = ''] = await framesOf(site.url, {}, 'counter/counter');
    const forged = new URLSearchParams({ action: '0', session: sessionOf(shown) });
    expect((await Block.open(other, { method: 'POST', body: forged })).html).toContain('<p>Count: 5</p>');

    await Block.open(second);
    expect(renderEvent(calls.at(-1) ?? fail())).toMatchObject({
      componentId: 'chart',
      props: { content: 'a -> b' },
    });

    expect(shown.policy).toMatch(/script-src 'nonce-[^ ]+'; style-src/);
    expect(shown.policy).toContain('https://cdn.example.com');
    expect(shown.policy).toMatch(/frame-src [^;]* https:\/\/player\.example\.com;/);
    expect(shown.policy).toContain("frame-ancestors 'self'");
    expect(shown.policy).toContain("form-action 'self'");
  });

  test.runIf(isFirstEngine)('is shown only to visitors who see it in the page', async () => {
    const site = await VisitedSite.create(server, { spaces: [space], visibility: 'visitor-auth' });
    await site.setAdaptiveSchema();
    const { urls } = await site.publish();
    const url = urls.published ?? '';
    const as = async (claims: Record<string, unknown>) => ({
      headers: { Authorization: `Bearer ${await site.visitorToken(claims)}` },
    });
    const [beta, ordinary] = [await as({ beta: true }), await as({ beta: false })];
    const all = await framesOf(url, beta);
    expect(all).toHaveLength((await framesOf(url, ordinary)).length + 1);
    const hidden = all.at(-1) ?? '';
    expect((await Block.open(hidden, beta)).html).toContain('Count: 7');
    expect((await Block.open(hidden, ordinary)).status).toBe(404);
    expect((await Block.open(hidden)).status).toBe(401);
    expect(
      (await Block.open(hidden, { ...ordinary, method: 'POST', body: new URLSearchParams() })).status,
    ).toBe(404);
  });

  test.runIf(isFirstEngine).each<[string, () => Response | Promise<Response>]>([
    [
      'an element that the contract does not define',
      () => Response.json({ type: 'element', element: { type: 'iframe' }, state: {}, props: {} }),
    ],
    ['no JSON', () => new Response('<h1>Hello</h1>')],
    [
      'elements that are nested very deeply',
      () =>
        new Response(
          `${'{"type":"element","element":{"type":"block","children":['.repeat(1)}${'{"type":"vstack","children":['.repeat(15_000)}${']}'.repeat(15_000)}]},"state":{},"props":{}}`,
        ),
    ],
    ['a failure', () => new Response('no', { status: 500 })],
    ['more than the limit', () => new Response('x'.repeat(600_000))],
    ['a completion', () => Response.json({ type: 'complete' })],
  ])('that returns %s fails alone', async (_case, answer) => {
    const site = await publishSite(server, { spaces: [space] });
    const failing = await integrations.add('failing', { blocks: [{ id: 'block', title: 'Block' }] }, answer);
    const frames = await framesOf(site.url);
    const [url = ''] = await framesOf(site.url, {}, 'failing/block');
    const shown = await Block.open(url);
    expect(shown.status).toBe(502);
    expect(shown.html).toContain('This block cannot be shown at the moment.');
    expect((await Block.open(frames[0] ?? '')).html).toContain('Count: 3');
    await server.admin.client.DELETE('/v1/integrations/{integrationName}', {
      params: { path: { integrationName: failing.name } },
    });
  });

  test('that returns an error for its user shows the text of the error', async () => {
    const site = await publishSite(server, { spaces: [space] });
    const failing = await integrations.add('failing', { blocks: [{ id: 'block', title: 'Block' }] }, () =>
      Response.json({ error: 'Sign in to <b>Jira</b> first' }, { status: 403 }),
    );
    const [url = ''] = await framesOf(site.url, {}, 'failing/block');
    const shown = await Block.open(url);
    expect(shown.status).toBe(403);
    expect(shown.html).toContain('Sign in to &lt;b&gt;Jira&lt;/b&gt; first');
    await server.admin.client.DELETE('/v1/integrations/{integrationName}', {
      params: { path: { integrationName: failing.name } },
    });
  });

  test.runIf(isFirstEngine)('has inputs, modals and confirmations, which visitors cannot forge', async () => {
    const site = await publishSite(server, { spaces: [space] });
    const seen: RenderEvent[] = [];
    await integrations.add('forms', { blocks: [{ id: 'form', title: 'Form' }] }, (call) => {
      const event = renderEvent(call);
      seen.push(event);
      const { state = {}, props, action, componentId } = event;
      if (componentId === 'modal') {
        return action?.action === 'done'
          ? Response.json({ type: 'complete', returnValue: { chosen: props.from } })
          : rendered(
              { type: 'modal', title: 'Choose', children: [button('Done', 'done')] },
              { state, props },
            );
      }
      return rendered(
        block(
          { type: 'input', label: 'Name', element: { type: 'textinput', state: 'name' } },
          { type: 'input', label: 'News', element: { type: 'switch', state: 'news' } },
          { type: 'checkbox', state: 'colors', value: 'red' },
          { type: 'checkbox', state: 'colors', value: 'blue' },
          button('Save', 'save', { name: { $state: 'name' } }),
          button('Open', '@ui.modal.open', { componentId: 'modal', props: { from: 'form' } }),
          {
            type: 'button',
            label: 'Delete',
            onPress: { action: 'delete' },
            confirm: { title: 'Sure?', text: 'It is gone.', confirm: 'Yes' },
          },
        ),
        { state, props },
      );
    });
    const [url = ''] = await framesOf(site.url, {}, 'forms/form');
    const form = await Block.open(url);
    const excess = Array.from({ length: MAX_FORM_FIELDS }, (_, at): [string, string] => [`text:${at}`, '']);
    expect(await form.press('Save', excess)).toMatchObject({ status: 413 });
    const saved = await form.press('Save', [
      ['text:name', '<Ada>'],
      ...(['news', 'colors'] as const).map((key): [string, string] => [
        key === 'news' ? 'switch:news' : 'check:colors',
        '',
      ]),
      ['switch:news', 'true'],
      ['check:colors', ''],
      ['check:colors', '"blue"'],
    ]);
    expect(seen.at(-1)).toMatchObject({
      state: { name: '<Ada>', news: true, colors: ['blue'] },
      action: { action: 'save', name: '<Ada>' },
    });
    expect(saved.html).toContain('value="&lt;Ada&gt;"');

    const modal = await saved.press('Open');
    expect(modal.html).toContain('<h2>Choose</h2>');
    await modal.press('Done');
    expect(seen.at(-1)).toMatchObject({
      componentId: 'form',
      state: { name: '<Ada>' },
      action: { action: '@ui.modal.close', returnValue: { chosen: 'form' } },
    });

    const asked = await saved.press('Delete');
    expect(asked.html).toContain('It is gone.');
    expect(seen.at(-1)?.action?.action).not.toBe('delete');
    await asked.press('Yes');
    expect(seen.at(-1)?.action).toEqual({ action: 'delete' });

    // An action that was not offered, and a session that was not sealed here.
    const before = seen.length;
    const send = (address: string, values: Record<string, string>) =>
      Block.open(address, { method: 'POST', body: new URLSearchParams(values) });
    await send(form.url, { action: '99', session: sessionOf(saved) });
    await send(form.url, { action: '0', session: `v1.${'A'.repeat(60)}` });
    expect(seen.slice(before).map(({ action }) => action)).toEqual([undefined, undefined]);
  });

  test.runIf(isFirstEngine)(
    'has the options that its integration returns, and none of other addresses',
    async () => {
      const site = await publishSite(server, { spaces: [space] });
      const requested: string[] = [];
      const options = [
        { id: 'north', label: 'North harbor' },
        { id: 'south', label: 'South <harbor>' },
        { id: 1 },
      ];
      await integrations.add(
        'places',
        { blocks: [{ id: 'place', title: 'Place' }] },
        ({ event, environment }) => {
          if (event.type === 'fetch') {
            requested.push(event.request.url.replace(server.url, ''));
            return event.request.url.endsWith('/list')
              ? Response.json({ items: options })
              : new Response('no', { status: 500 });
          }
          const own = environment.installation?.urls.publicEndpoint;
          const urls = [
            `${own}/list`,
            `${own}/broken`,
            `${server.url}/v1/user`,
            'https://10.0.0.1/',
            `${own}less`,
          ];
          return rendered(
            block(
              ...urls.map((url, at): Schemas['RenderElement'] => ({
                type: 'select',
                state: `s${at}`,
                options: { url },
              })),
            ),
          );
        },
      );
      const [url = ''] = await framesOf(site.url, {}, 'places/place');
      const { status, html } = await Block.open(url);
      expect(status).toBe(200);
      const selects = [...html.matchAll(/<select name="select:(\w+)">(.*?)<\/select>/gs)].map(
        ([, name, inner = '']) => [
          name,
          [...inner.matchAll(/<option value="([^"]+)">([^<]*)/g)].map(([, id, label]) => [id, label]),
        ],
      );
      expect(selects).toEqual([
        [
          's0',
          [
            ['north', 'North harbor'],
            ['south', 'South &lt;harbor&gt;'],
          ],
        ],
        ...['s1', 's2', 's3', 's4'].map((name) => [name, []]),
      ]);
      expect(requested.sort()).toEqual([
        expect.stringMatching(/\/endpoint\/broken$/),
        expect.stringMatching(/\/endpoint\/list$/),
      ]);
    },
  );

  test.runIf(isFirstEngine)(
    'refuses forms that are large, of another type, or to other addresses',
    async () => {
      const site = await publishSite(server, { spaces: [space] });
      const [url = ''] = await framesOf(site.url);
      const send = async (address: string, init: RequestInit) =>
        (await fetch(address, { method: 'POST', ...init })).status;
      expect(await send(url, { body: new URLSearchParams({ session: 'x'.repeat(300_000) }) })).toBe(413);
      expect(await send(url, { body: '{}', headers: { 'Content-Type': 'application/json' } })).toBe(415);
      expect(await send(site.url, { body: new URLSearchParams() })).toBe(405);
      expect(await send(`${url}x`, { body: new URLSearchParams() })).toBe(404);
    },
  );

  test.runIf(isFirstEngine)('shows as many texts to several visitors at a time', async () => {
    const site = await publishSite(server, { spaces: [space] });
    const visitors = Math.ceil(MAX_QUEUED_PER_OWNER.tasks / MAX_BLOCK_TEXTS) + 2;
    const called = Promise.withResolvers<void>();
    let calls = 0;
    await integrations.add('notes', { blocks: [{ id: 'list', title: 'Notes' }] }, async () => {
      calls += 1;
      const visitor = calls;
      if (calls === visitors) {
        called.resolve();
      }
      await called.promise;
      const notes = Array.from({ length: MAX_BLOCK_TEXTS }, (_, at): Schemas['RenderElement'] => ({
        type: 'markdown',
        content: `Note *${visitor}.${at}*`,
      }));
      return rendered(block(...notes));
    });
    const [url = ''] = await framesOf(site.url, {}, 'notes/list');
    // The response to a form is not cached.
    const open = () => Block.open(url, { method: 'POST', body: new URLSearchParams() });
    for (const { status, html } of await Promise.all(Array.from({ length: visitors }, open))) {
      expect(status).toBe(200);
      expect(html.match(/Note <em>[\d.]+<\/em>/g)).toHaveLength(MAX_BLOCK_TEXTS);
    }
  });

  test.runIf(isFirstEngine)('has no menu, and accepts no action of one', async () => {
    const site = await publishSite(server, { spaces: [space] });
    const { calls } = await integrations.add('menus', { blocks: [{ id: 'menu', title: 'Menu' }] }, () =>
      rendered({
        type: 'block',
        children: [{ type: 'text', children: ['Shown'] }, button('Reload', 'reload')],
        controls: [
          { label: 'Edit', onPress: { action: 'edit' } },
          { label: 'Configure', onPress: { action: '@ui.modal.open', componentId: 'settings', props: {} } },
          { label: 'Replace', onPress: { action: '@editor.node.updateProps', props: {} } },
        ],
      }),
    );
    const [url = ''] = await framesOf(site.url, {}, 'menus/menu');
    const shown = await Block.open(url);
    expect(shown.html).toContain('Shown');
    expect(shown.html).not.toMatch(/Edit|Configure|Replace/);
    const session = sessionOf(shown);
    const before = calls.length;
    for (const action of ['0', '1', '2', '3', '-1', 'edit', '@ui.modal.open', '{"action":"edit"}']) {
      await Block.open(url, { method: 'POST', body: new URLSearchParams({ session, action }) });
    }
    // A session with an action of the menu, sealed in another context.
    const { pathname } = new URL(url);
    const instances = [{ componentId: 'menu', props: {}, state: {} }];
    const offered = JSON.stringify({ instances, actions: [{ action: { action: 'edit' } }] });
    const sealed = sealSecret(offered, sealingKey(SECRET_KEY), `block session ${pathname}`);
    await Block.open(url, { method: 'POST', body: new URLSearchParams({ session: sealed, action: '0' }) });
    const events = calls.slice(before).map(renderEvent);
    expect(events).toHaveLength(9);
    expect(new Set(events.map(({ componentId, action }) => `${componentId} ${action?.action}`))).toEqual(
      new Set(['menu undefined', 'menu reload']),
    );
  });

  test.runIf(isFirstEngine)('is text again once its integration is not installed', async () => {
    const site = await publishSite(server, { spaces: [space] });
    const frames = await framesOf(site.url);
    const { items } = await ok(
      server.admin.client.GET('/v1/integrations/{integrationName}/installations', {
        params: { path: { integrationName: 'counter' } },
      }),
    );
    await server.admin.client.DELETE('/v1/integrations/{integrationName}/installations/{installationId}', {
      ...installed('counter', items[0]?.id ?? ''),
    });
    expect(await framesOf(site.url)).toHaveLength(frames.length - 3);
    expect((await Block.open(frames[0] ?? '')).status).toBe(404);
  });
});

const fail = (): never => {
  throw new Error('The integration was not called.');
};
