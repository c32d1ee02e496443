/** The pages that replace an entry computed from an OpenAPI specification. */
import type { components } from '../../../generated/schema.d.ts';
import { hashOf } from '../tree/hash.ts';
import type { DocumentRecord } from '../tree/records.ts';
import { slugify } from '../tree/slugs.ts';
import { canonicalJson } from '../tree/values.ts';
import { oneLine } from './operations.ts';
import { outlineOf } from './outline.ts';
import { printInfo } from './print-info.ts';
import { modelAnchors, printModels, printOperations } from './print-page.ts';
import type { SchemaContext } from './schema.ts';
import { type Specification, titleOf } from './specification.ts';

type Schemas = components['schemas'];
type PageProps = Schemas['OpenAPIPageProps'];

/** Target of computed pages: an entry of the tree, or the whole content of a space. */
export interface ComputedEntry {
  /** ID of the entry and of the page that replaces it. */
  id: string;
  /** ID of the parent page; null at the top level. */
  parent: string | null;
  /** Defaults to the title of the specification. */
  title?: string;
  emoji?: string;
  icon?: string;
  /** Last segment of the path of the page that replaces the entry. Derived from the title by default. */
  slug?: string;
  source: Schemas['OpenAPIRevisionSource'];
}

export type ComputedPageRecord = DocumentRecord & {
  computed: Schemas['OpenAPIPageSource'];
  computedSeed: string;
};

/** A computed page. Its body is printed on demand. */
export interface ComputedPage {
  record: ComputedPageRecord;
  /** Returns the body as Markdown. */
  printBody(): string;
}

/** An overview page of the specification, and its children: operations by tag, and data models. */
export interface ComputedPages<Page = ComputedPage> {
  overview: Page;
  children: Page[];
}

/** A computed page. Its body may be printed in a thread. */
export interface PrintablePage {
  record: ComputedPageRecord;
  printBody(): string | Promise<string>;
}

/** Computes the pages of an entry; undefined if they cannot be computed. */
export type ComputeEntry = (entry: ComputedEntry) => Promise<ComputedPages<PrintablePage> | undefined>;

/**
 * Version of the printed format. Increase it with every change of the output: seeds must change when bodies do, and
 * those of an unchanged specification would stay the same.
 */
export const PRINTER_VERSION = 2;

const MODELS_TITLE = 'Models';
const SLUG_SUFFIX_CHARACTERS = 12;
const CHILD_ID = new RegExp(`^(.+)-[\\w-]{${SLUG_SUFFIX_CHARACTERS}}$`);

/** Returns the ID of the entry that a child page would be computed for; undefined for any other ID. */
export const entryOfChild = (id: string): string | undefined => CHILD_ID.exec(id)?.[1];

/**
 * Computes the pages of an entry. The same specification and entry result in the same IDs, and pages with the same
 * slug keep their IDs when the specification changes.
 */
export function computePages(entry: ComputedEntry, specification: Specification): ComputedPages {
  const { document } = specification;
  const outline = outlineOf(specification);
  const withModels = entry.source.props.models === true && outline.hasModels;
  const childId = (props: PageProps) =>
    `${entry.id}-${hashOf(canonicalJson({ ...props })).slice(0, SLUG_SUFFIX_CHARACTERS)}`;
  const operationsProps = (page: string): PageProps => ({ doc: 'operations', page });
  const modelsProps: PageProps = { doc: 'models' };
  const modelsUrl = withModels ? urlOf(childId(modelsProps)) : undefined;
  const context = contextOf(specification, modelsUrl);

  const page = (
    props: PageProps,
    location: Pick<DocumentRecord, 'id' | 'parent' | 'title' | 'slug'>,
    printBody: () => string,
  ): ComputedPage => ({
    record: {
      type: 'document',
      ...location,
      documentId: location.id,
      computed: { type: 'builtin:openapi', props, dependencies: entry.source.dependencies },
      // Everything that the body is printed from.
      computedSeed: hashOf(
        canonicalJson([PRINTER_VERSION, specification.version, entry.id, withModels, { ...props }]),
      ).slice(0, 32),
    },
    printBody,
  });

  const title = entry.title ?? oneLine(titleOf(document));
  const overview = page(
    { doc: 'info', page: 'info' },
    { id: entry.id, parent: entry.parent, title, slug: entry.slug ?? slugify(title) },
    () =>
      printInfo(document, outline, {
        operations: (slug) => urlOf(childId(operationsProps(slug))),
        models: modelsUrl,
      }),
  );
  if (entry.emoji !== undefined) {
    overview.record.emoji = entry.emoji;
  }
  if (entry.icon !== undefined) {
    overview.record.icon = entry.icon;
  }
  const children = outline.operations.map((operations) => {
    const props = operationsProps(operations.slug);
    const location = { id: childId(props), parent: entry.id, title: operations.title, slug: operations.slug };
    return page(props, location, () => printOperations(context, operations));
  });
  if (withModels) {
    const location = {
      id: childId(modelsProps),
      parent: entry.id,
      title: MODELS_TITLE,
      slug: outline.modelsSlug,
    };
    children.push(page(modelsProps, location, () => printModels(context)));
  }
  return { overview, children };
}

/** Returns a URL that is valid wherever the link is. */
const urlOf = (page: string): string => `/pages/${page}`;

function contextOf({ document }: Specification, modelsUrl: string | undefined): SchemaContext {
  let anchors: Map<string, string> | undefined;
  return {
    document,
    urlOf: (model) => {
      if (modelsUrl === undefined) {
        return undefined;
      }
      anchors ??= modelAnchors(document);
      const anchor = anchors.get(model);
      return anchor && `${modelsUrl}#${anchor}`;
    },
  };
}
