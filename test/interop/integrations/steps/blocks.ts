/** Renders blocks, unfurls URLs, presses buttons and loads frames, as pages do. */
import type { components } from '../../../../generated/schema.d.ts';
import { elementsIn, resolveBindings } from '../elements.ts';
import { render } from '../render.ts';
import { NeedsService, type Outcome, require, type Step, type Subject } from '../step.ts';

type Schemas = components['schemas'];
type Rendered = Extract<Schemas['RenderResult'], { type: 'element' }>;

async function renderBlock(
  subject: Subject,
  block: string,
  input: Pick<Schemas['RenderRequest'], 'state' | 'action'> & { props: Record<string, unknown> },
): Promise<Rendered> {
  const space = subject.targets[0]?.space ?? '';
  const result = await render(subject, {
    componentId: block,
    context: { type: 'document', theme: 'light', spaceId: space, editable: true },
    ...input,
  });
  if (result.type !== 'element') {
    throw new Error(`the block ${block} returns no element`);
  }
  return result;
}

const blocksOf = ({ manifest }: Subject) => manifest.blocks ?? [];

async function unfurl(subject: Subject): Promise<Outcome> {
  const blocks = blocksOf(subject).filter(({ urlUnfurl = [] }) => urlUnfurl.length > 0);
  if (blocks.length === 0) {
    return 'does not apply';
  }
  const urls = subject.scenario.unfurls ?? [];
  require(urls.length > 0, 'its scenario has no URL to unfurl');
  for (const { id } of blocks) {
    for (const url of urls) {
      const { props, state, element } = await renderBlock(subject, id, {
        props: {},
        action: { action: '@link.unfurl', url },
      });
      require(Object.keys(props).length + Object.keys(state).length >
        0, `the block ${id} keeps nothing of ${url}`);
      require(elementsIn(element).length > 1, `the block ${id} is empty for ${url}`);
    }
  }
  return 'ok';
}

async function show(subject: Subject): Promise<Outcome> {
  const blocks = blocksOf(subject);
  for (const { id } of blocks) {
    const props = subject.scenario.props?.[id] ?? {};
    const { element, state } = await renderBlock(subject, id, { props });
    require(elementsIn(element).length > 1, `the block ${id} is empty`);
    const expected = subject.scenario.shows;
    const shown = JSON.stringify(resolveBindings(element, state));
    require(expected === undefined || shown.includes(expected), `the block ${id} does not show ${expected}`);
  }
  const { press } = subject.scenario;
  if (press) {
    const sent = subject.fakes.requests.length;
    const props = subject.scenario.props?.[press.block] ?? {};
    const { state } = await renderBlock(subject, press.block, { props });
    await renderBlock(subject, press.block, {
      props,
      state: { ...state, ...press.state },
      action: { action: press.action, ...press.state },
    });
    const received = subject.fakes.requests.slice(sent).some(({ url }) => url.host === press.host);
    require(received, `${press.host} received nothing after ${press.action}`);
  }
  return blocks.length > 0 ? 'ok' : 'does not apply';
}

async function loadFrames(subject: Subject): Promise<Outcome> {
  const sources: string[] = [];
  for (const { id } of blocksOf(subject)) {
    const { element } = await renderBlock(subject, id, { props: subject.scenario.props?.[id] ?? {} });
    sources.push(
      ...elementsIn(element).flatMap((found) =>
        found.type === 'webframe' && typeof found.source === 'object' ? [found.source.url] : [],
      ),
    );
  }
  const origins = new Set([new URL(subject.service.url).origin]);
  const own = sources.filter((source) => origins.has(new URL(source).origin));
  if (own.length === 0) {
    return 'does not apply';
  }
  for (const source of own) {
    const response = await fetch(source);
    const html = await response.text();
    require(response.ok, `the frame returns ${response.status}: ${html.slice(0, 200)}`);
    require((response.headers.get('content-type') ?? '').startsWith('text/html') &&
      /<script|<iframe|<body/i.test(html), 'the frame is no page');
  }
  const reason = subject.scenario.needs?.frame;
  if (reason !== undefined) {
    throw new NeedsService(reason);
  }
  return 'ok';
}

export const unfurlStep: Step = { name: 'unfurl', run: unfurl };
export const blocksStep: Step = { name: 'blocks', run: show };
export const frameStep: Step = { name: 'frame', run: loadFrames };
