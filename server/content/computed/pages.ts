/** The pages that stand in the place of an entry of the tree which is computed from an OpenAPI specification. */
import type { components } from '../../../generated/schema.d.ts';
import { slugify } from '../repository/slugs.ts';
import { hashOf } from '../tree/hash.ts';
import type { DocumentRecord } from '../tree/records.ts';
import { canonicalJson } from '../tree/values.ts';
import { oneLine } from './operations.ts';
import { outlineOf } from './outline.ts';
import { printInfo } from './print-info.ts';
import { modelAnchors, printModels, printOperations } from './print-page.ts';
import type { SchemaContext } from './schema.ts';
import { type FindSpecification, type Specification, titleOf } from './specification.ts';

type Schemas = components['schemas'];
type PageProps = Schemas['OpenAPIPageProps'];

/** What pages are computed for: an entry of the tree, or the whole content of a space. */
export interface ComputedEntry {
  /** The id of the entry, which is also the id of the page in its place. */
  id: string;
  /** The page above it; null at the top. */
  parent: string | null;
  /** undefined: that of the specification. */
  title?: string;
  emoji?: string;
  icon?: string;
  /** The last part of the path of the page in its place; undefined: made of the title. */
  slug?: string;
  source: Schemas['OpenAPIRevisionSource'];
}

export type ComputedPageRecord = DocumentRecord & {
  computed: Schemas['OpenAPIPageSource'];
  computedSeed: string;
};

/** A computed page; its body is printed when it is asked for. */
export interface ComputedPage {
  record: ComputedPageRecord;
  /** Markdown. */
  printBody(): string;
}

/** A page about the specification, and those below it: its operations by tag, and its data models. */
export interface ComputedPages<Page = ComputedPage> {
  overview: Page;
  below: Page[];
}

/** A computed page whose body is perhaps printed in a thread. */
export interface PrintablePage {
  record: ComputedPageRecord;
  printBody(): string | Promise<string>;
}

/** Computes the pages of an entry; undefined where that is not possible. */
export type ComputeEntry = (entry: ComputedEntry) => Promise<ComputedPages<PrintablePage> | undefined>;

/** Computes pages in this thread. */
export const computeWith =
  (find: FindSpecification): ComputeEntry =>
  async (entry) => {
    const specification = await find(entry.source.dependencies.spec.ref.spec);
    return specification && computePages(entry, specification);
  };

/**
 * Raise it whenever anything is printed in another way: seeds promise to change when bodies do, and a
 * specification that stays the same would keep them.
 */
export const PRINTER = 1;

const MODELS_TITLE = 'Models';
const SUFFIX = 12;
const CHILD_ID = new RegExp(`^(.+)-[\\w-]{${SUFFIX}}$`);

/** The id of the entry that a page below its overview would be computed for; undefined for any other id. */
export const entryOfChild = (id: string): string | undefined => CHILD_ID.exec(id)?.[1];

/**
 * The pages of an entry. The same specification and entry give the same ids, and ids of pages with the same slug
 * stay when the specification changes.
 */
export function computePages(entry: ComputedEntry, specification: Specification): ComputedPages {
  const { document } = specification;
  const outline = outlineOf(specification);
  const withModels = entry.source.props.models === true && outline.hasModels;
  const childId = (props: PageProps) => `${entry.id}-${hashOf(canonicalJson({ ...props })).slice(0, SUFFIX)}`;
  const operationsProps = (page: string): PageProps => ({ doc: 'operations', page });
  const modelsProps: PageProps = { doc: 'models' };
  const modelsAddress = withModels ? addressOf(childId(modelsProps)) : undefined;
  const context = contextOf(specification, modelsAddress);

  const page = (
    props: PageProps,
    place: Pick<DocumentRecord, 'id' | 'parent' | 'title' | 'slug'>,
    printBody: () => string,
  ): ComputedPage => ({
    record: {
      type: 'document',
      ...place,
      documentId: place.id,
      computed: { type: 'builtin:openapi', props, dependencies: entry.source.dependencies },
      // All that a body is printed from.
      computedSeed: hashOf(
        canonicalJson([PRINTER, specification.version, entry.id, withModels, { ...props }]),
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
        operations: (slug) => addressOf(childId(operationsProps(slug))),
        models: modelsAddress,
      }),
  );
  if (entry.emoji !== undefined) overview.record.emoji = entry.emoji;
  if (entry.icon !== undefined) overview.record.icon = entry.icon;
  const below = outline.operations.map((operations) => {
    const props = operationsProps(operations.slug);
    const place = { id: childId(props), parent: entry.id, title: operations.title, slug: operations.slug };
    return page(props, place, () => printOperations(context, operations));
  });
  if (withModels) {
    const place = {
      id: childId(modelsProps),
      parent: entry.id,
      title: MODELS_TITLE,
      slug: outline.modelsSlug,
    };
    below.push(page(modelsProps, place, () => printModels(context)));
  }
  return { overview, below };
}

/** What holds wherever the page that links stands. */
const addressOf = (page: string): string => `/pages/${page}`;

function contextOf({ document }: Specification, modelsAddress: string | undefined): SchemaContext {
  let anchors: Map<string, string> | undefined;
  return {
    document,
    addressOf: (model) => {
      if (modelsAddress === undefined) return undefined;
      anchors ??= modelAnchors(document);
      const anchor = anchors.get(model);
      return anchor && `${modelsAddress}#${anchor}`;
    },
  };
}
