/** Renders the texts of pages. */

import type { StoredSpecification } from '../../../content/computed/specification.ts';
import type { BlockFrames, RenderedPage } from '../../../content/html/options.ts';
import type { IncludedText } from '../../../content/html/page.ts';
import { specificationsIn } from '../../../content/html/specifications/specification-names.ts';
import { locationOfPage } from '../../../content/links/address.ts';
import { expandText } from '../../../content/threads/body.ts';
import { Documents, type DocumentText, documentText } from '../../../content/threads/documents.ts';
import { RenderedPages } from '../../../content/threads/rendered-pages.ts';
import { MAX_INLINE_CHARACTERS } from '../../../content/threads/threads.ts';
import { TaskLimitError, ThreadsBusyError } from '../../../threads/threads.ts';
import { storedSpecificationFinder } from '../../content/openapi-specs/queries/find.ts';
import { encodeSegments } from '../../spaces/publications/urls.ts';
import { urlPatternsOf } from '../site-integrations/url-blocks.ts';
import { contentLabelsIn } from './labels.ts';
import type { ReadingServices } from './reading-site.ts';
import { renderingOf } from './targets.ts';
import type { Frame } from './templates/types.ts';
import { iconStyleOf } from './views/frame-view.ts';
import type { ContentContext, PageContext } from './views/view-context.ts';

/** Renders the text of a page in a thread. */
export async function renderContent(
  services: ReadingServices,
  context: ContentContext,
  frame: Frame,
): Promise<RenderedPage> {
  const { reading } = context;
  const { text, targets, ...rendering } = await prepare(services, context);
  return await new RenderedPages(services.threads, context.space.organization).render(text, {
    ...rendering,
    claims: reading.claims,
    options: {
      title: context.page.record.title,
      targets,
      language: frame.language,
      direction: frame.direction,
      blockFrames: blockFramesOf(context),
      externalLinksInNewTab: reading.customization.externalLinks.target === 'blank',
      iconStyle: iconStyleOf(reading.customization.styling),
      labels: contentLabelsIn(frame.labels.language),
    },
  });
}

/**
 * Prints the text of a page as Markdown in a thread, with what it includes, and with URLs of its links. If that is
 * impossible, only its expressions are evaluated.
 *
 * @throws ThreadsBusyError
 */
export async function printContent(services: ReadingServices, context: ContentContext): Promise<string> {
  const { reading, space } = context;
  const { text, targets, included, variables, specifications } = await prepare(services, {
    ...context,
    linksMarkdown: true,
  });
  const { claims } = reading;
  const markdown = await text.read();
  const texts = new Map<string, IncludedText>();
  for (const [key, { text: part, ...content }] of included) {
    texts.set(key, { ...content, markdown: await part.read() });
  }
  const page = { markdown, variables, targets, included: texts, claims, base: reading.url };
  const versions = new Map([...specifications].map(([name, { version }]) => [name, version]));
  try {
    const printed = await services.threads.run(
      'printPage',
      { ...page, specifications: versions },
      {
        host: { readSpecification: async (name) => await specifications.get(name)?.readJson() },
        owner: space.organization,
        // Short texts are printed in threads, too: only they load the printer.
        bytes: Math.max(markdown.length, MAX_INLINE_CHARACTERS + 1),
      },
    );
    if (printed !== undefined) {
      return printed;
    }
  } catch (error) {
    if (error instanceof ThreadsBusyError) {
      throw error;
    }
    if (!(error instanceof TaskLimitError)) {
      services.log.warn(
        { err: error, page: context.page.record.id },
        'a page could not be printed as Markdown',
      );
    }
  }
  return await new Documents(services.threads, space.organization).evaluate(markdown, variables, claims);
}

/** Reads the text of a page, and what its rendering requires. */
async function prepare(services: ReadingServices, context: ContentContext & { linksMarkdown?: boolean }) {
  const { content, page, space } = context;
  const { organization } = space;
  const { record } = page;
  const read = once(() => content.readBody(record));
  const stored = record.body === undefined ? documentText(await read()) : { hash: record.body, read };
  const documents = new Documents(services.threads, organization);
  const app = services.resourceUrls.at('/app');
  const path = page.path.join('/');
  const text = await expandText(stored, locationOfPage(record, path), content);
  const { variables, targets, included } = await renderingOf(
    { ...context, app },
    { record, path },
    documents,
    text,
  );
  const texts = [text, ...[...included.values()].map((part) => part.text)];
  const specifications = await findSpecifications(services, organization, texts);
  return { text, variables, targets, included, specifications };
}

/** Returns the frames for the blocks of the integrations that the page can show. */
function blockFramesOf({ reading, siteSpace, space, page }: PageContext): BlockFrames | undefined {
  const blocks = reading.integrations.blocks.filter(({ isIn }) => isIn(space.id));
  const languages = blocks.flatMap(({ integration, definition: { id: block, markdown } }) =>
    markdown ? [[markdown.codeblock, { integration, block, property: markdown.body }] as const] : [],
  );
  return blocks.length === 0
    ? undefined
    : {
        href: reading.href(blocksPath(siteSpace.row.id, page.record.id)),
        names: blocks.map(({ integration, definition }) => `${integration}/${definition.id}`),
        languages: Object.fromEntries(languages),
        urls: urlPatternsOf(blocks),
      };
}

/** Returns the path of the blocks of a page below the address of its site. */
export const blocksPath = (siteSpace: string, page: string): string =>
  encodeSegments(['~blocks', siteSpace, page]);

/** Finds the specifications of the organization that blocks of texts show parts of, by the names in the blocks. */
async function findSpecifications(
  { database }: ReadingServices,
  organization: string,
  texts: readonly DocumentText[],
): Promise<Map<string, StoredSpecification>> {
  const find = storedSpecificationFinder(database.query, organization);
  const specifications = new Map<string, StoredSpecification>();
  for (const text of texts) {
    for (const name of specificationsIn(await text.read())) {
      const specification = specifications.get(name) ?? (await find(name));
      if (specification) {
        specifications.set(name, specification);
      }
    }
  }
  return specifications;
}

/** Returns a function that reads a value once. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= read();
    return value;
  };
}
