/**
 * Serves the blocks of integrations in pages. Each is a document in a frame, with a policy of its own, so that pages
 * neither wait for integrations nor depend on their responses. Actions of visitors are forms.
 */
import type { Request, Response } from 'express';
import type { ShownBlock } from '../../../../content/html/options.ts';
import { documentText } from '../../../../content/threads/documents.ts';
import { RenderedPages } from '../../../../content/threads/rendered-pages.ts';
import { Html } from '../../../../contract/docs/html.ts';
import { receiveForm } from '../../../kit/routes/receive-form.ts';
import type { SiteBlock } from '../../site-integrations/find.ts';
import type { ReadingSpace } from '../../structure/spaces.ts';
import { contentLabelsIn } from '../labels.ts';
import type { ReadingServices } from '../reading-site.ts';
import { type Caching, sendPage } from '../respond.ts';
import { ResponseText } from '../response-text.ts';
import type { Frame } from '../templates/types.ts';
import {
  type BlockLocation,
  type Instances,
  openSession,
  type RenderedComponent,
  renderAction,
  renderFirst,
  sealSession,
} from './components.ts';
import type { OfferedAction } from './element-context.ts';
import { rootHtml, textsIn } from './elements.ts';
import { blockDocument, confirmation, failureNote, linkNote } from './frame.ts';
import { frameAction } from './frame-actions.ts';
import { readInputs } from './inputs.ts';
import { blockPolicy } from './policy.ts';
import { createResponseCache, type Failure, failureOf } from './response-cache.ts';
import { loadOptions } from './select-options.ts';

const results = createResponseCache<RenderedComponent | Failure>();

/** Maximum size of the form of a block. */
export const MAX_BLOCK_FORM_BYTES = 262_144;
/** Maximum number of texts in Markdown or code that a component shows. */
export const MAX_BLOCK_TEXTS = 50;

/** A block in a page of a site, as its visitor requests it. */
export interface BlockRequest {
  req: Request;
  res: Response;
  site: string;
  space: ReadingSpace;
  block: SiteBlock;
  shown: ShownBlock;
  frame: Frame;
  /** Address of the block. */
  href: string;
}

/** Sends the document of a block: as visitors first see it, or after the action in the form of a request. */
export async function sendBlock(
  services: ReadingServices,
  request: BlockRequest,
  caching: Caching,
): Promise<void> {
  const { req, res, block, frame, href } = request;
  const content = await contentOf(services, request);
  const html = blockDocument(frame, { title: block.definition.title, href, ...content });
  const text = new ResponseText(html);
  const policy = blockPolicy(services.resourceUrls.origins, block.policy);
  await sendPage(req, res, { status: content.status, text, policy }, { ...caching, isPublic: false });
}

interface Content {
  status: number;
  content: Html;
  session?: string;
}

async function contentOf(services: ReadingServices, request: BlockRequest): Promise<Content> {
  const { req, res, site, space, block, shown, frame, href } = request;
  const location: BlockLocation = { site, space: space.id, theme: themeOf(frame) };
  const { secretKey } = services;
  const first = () =>
    renderFirst(
      services,
      block,
      location,
      { componentId: shown.block, props: shown.props },
      shown.url === undefined ? undefined : { action: '@link.unfurl', url: shown.url },
    );
  if (req.method !== 'POST') {
    const key = `${block.version} ${location.space} ${location.theme} ${shown.key}`;
    const { value } = await results.get(key, () => resultOf(services, block, first));
    return await contentOfResult(services, request, value);
  }
  const form = await receiveForm(req, res, { maxBytes: MAX_BLOCK_FORM_BYTES, sender: 'the block' });
  const session = openSession(form.get('session') ?? '', secretKey, href);
  if (!session) {
    return await contentOfResult(services, request, (await resultOf(services, block, first)).value);
  }
  const instances = withInputs(session.instances, form);
  const chosen = session.actions[Number(form.get('action') || -1)];
  if (chosen?.confirm) {
    const actions = [{ action: chosen.action }];
    const content = confirmation(chosen.confirm, frame.labels);
    return { status: 200, content, session: sealSession({ instances, actions }, secretKey, href) };
  }
  const { value } = await resultOf(services, block, () =>
    renderAction(services, block, location, instances, chosen?.action ?? frameAction(form, session)),
  );
  return await contentOfResult(services, request, value);
}

async function resultOf(
  services: ReadingServices,
  block: SiteBlock,
  render: () => Promise<RenderedComponent>,
) {
  try {
    const value = await render();
    return { value, lifetimeMs: value.lifetimeMs, size: JSON.stringify(value).length * 2 };
  } catch (error) {
    return failureOf(services, block, error);
  }
}

async function contentOfResult(
  services: ReadingServices,
  { frame, space, block, shown, href }: BlockRequest,
  result: RenderedComponent | Failure,
): Promise<Content> {
  const { labels } = frame;
  const failed = ({ failure, message }: Failure) => ({
    status: failure,
    content: shown.url === undefined ? failureNote(labels, message) : linkNote(shown.url),
  });
  if ('failure' in result) {
    return failed(result);
  }
  try {
    const { instances } = result;
    const state = instances.at(-1)?.state ?? {};
    const actions: OfferedAction[] = [];
    const count = { elements: 0, frames: 0 };
    const content = rootHtml(result.root, {
      state,
      labels,
      ownOrigins: services.resourceUrls.origins,
      texts: await renderTexts(services, textsIn(result.root, state), space, frame),
      options: await loadOptions(services, block, result.root, state),
      count,
      depth: 0,
      actions,
    });
    const session = sealSession(
      { instances, actions, hasFrames: count.frames > 0 },
      services.secretKey,
      href,
    );
    return { status: 200, content, session };
  } catch (error) {
    return failed(failureOf(services, block, error).value);
  }
}

/**
 * Renders the Markdown and the code of a component in threads, one text at a time so that a block does not fill the
 * queue of the threads.
 */
async function renderTexts(
  { threads }: ReadingServices,
  texts: readonly string[],
  { organization }: ReadingSpace,
  frame: Frame,
): Promise<Map<string, Html>> {
  const pages = new RenderedPages(threads, organization);
  const { language, direction, labels } = frame;
  const options = {
    language,
    direction,
    externalLinksInNewTab: true,
    labels: contentLabelsIn(labels.language),
  };
  const rendered = new Map<string, Html>();
  for (const text of [...new Set(texts)].slice(0, MAX_BLOCK_TEXTS)) {
    const { html } = await pages.render(documentText(text), { options, claims: {} });
    rendered.set(text, new Html(html));
  }
  return rendered;
}

const themeOf = ({ customization }: Frame): 'light' | 'dark' =>
  customization.themes.default === 'dark' ? 'dark' : 'light';

/** Returns components with the values of the inputs that the visitor sees. */
function withInputs(instances: Instances, form: URLSearchParams): Instances {
  const top = instances.at(-1);
  return top ? [...instances.slice(0, -1), { ...top, state: readInputs(form, top.state) }] : instances;
}
