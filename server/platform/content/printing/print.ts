/** PDFs of revisions: what they are printed from, their cache, and their printing. */
import { withComputed } from '../../../content/computed/content.ts';
import type { FindStoredSpecification } from '../../../content/computed/specification.ts';
import type { Claims } from '../../../content/expressions/conditions.ts';
import type { SiteFonts } from '../../../content/pdf/render.ts';
import { printerVersion } from '../../../content/pdf/version.ts';
import { type FileStores, readBlob, type StoredBlob } from '../../../content/store/blobs.ts';
import { openContent } from '../../../content/store/content.ts';
import {
  findPrintedPdf,
  MAX_CACHED_PDF_BYTES,
  type SpecificationVersions,
  storePrintedPdf,
} from '../../../content/store/printed-pdfs.ts';
import { findRevision } from '../../../content/store/revisions.ts';
import { entryComputer } from '../../../content/threads/computed.ts';
import { Documents } from '../../../content/threads/documents.ts';
import type { ContentThreads } from '../../../content/threads/threads.ts';
import { type OutsideSection, printPdf } from '../../../content/transfer/pdf.ts';
import type { Content } from '../../../content/tree/content.ts';
import type { FileRecord, PageNode } from '../../../content/tree/records.ts';
import type { Log } from '../../../database/log.ts';
import type { Clock } from '../../../database/seams.ts';
import { linkExpiry, signLink } from '../../../identity/signatures.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { fileUrl } from '../files/link.ts';
import { storedSpecificationFinder } from '../openapi-specs/queries/find.ts';
import { type DescribeOutside, outsideReader } from '../references/describe.ts';
import { spaceMapVersion } from '../references/space-map.ts';
import { spaceAddressFinder } from '../references/space-urls.ts';
import { PDF_FILE_LIFETIME_MS, type PdfLink } from './link.ts';
import type { PrintOutput } from './shared-prints.ts';

export interface PdfServices extends FileStores {
  clock: Clock;
  log: Log;
  secretKey: string;
  resourceUrls: ResourceUrls;
  threads: ContentThreads;
}

/** What is printed: a revision, or a part of it. */
export type PdfSelection = Omit<PdfLink, 'reader' | 'expires'>;

/** How a reader sees a revision: a caller, or the visitors of a site. */
export interface PrintedView {
  /** Identifies everything that the view depends on. */
  key: string;
  /** Claims for conditions; without them, all content is printed. */
  claims: Claims | undefined;
  /** Returns whether a page is printed with the whole revision. */
  includes(page: string): boolean;
  /** Returns the URL of a page that is not printed. */
  pageUrl(page: string): string;
  fileUrl(file: FileRecord): string;
  /** Packages of the fonts of the site. */
  fonts?: SiteFonts;
  /** Reads the logo of the site. */
  readLogo?(): Promise<Uint8Array | undefined>;
  /** Describes a target outside of the space. */
  describeOutside: DescribeOutside;
  /** Finds the title of a section of a page of another space. */
  findSectionOutside(section: OutsideSection): Promise<string | undefined>;
}

/** What a PDF is printed from. */
export interface PdfSource {
  organization: string;
  /** Title of the space, or of the page that the PDF starts at. */
  title: string;
  language: string | null;
  createdAt: string;
  /** As readers see it. */
  content: Content;
  /** The versions of the specifications that were used so far. */
  specifications: Map<string, string | null>;
  findSpecification: FindStoredSpecification;
}

/**
 * Returns the view of a caller: all pages and blocks, with file URLs that are valid as long as this caller may read the
 * space.
 */
export function callerView(
  { database, clock, secretKey, resourceUrls, threads }: PdfServices,
  { reader, space }: Pick<PdfLink, 'reader' | 'space'>,
  organization: string,
): PrintedView {
  const expires = linkExpiry(clock(), PDF_FILE_LIFETIME_MS);
  return {
    key: `caller ${reader} ${expires}`,
    claims: undefined,
    includes: () => true,
    pageUrl: (id) => resourceUrls.page(space, id).app,
    fileUrl: (file) => fileUrl({ ...file, reader, space, expires }, secretKey, resourceUrls),
    ...outsideReader(database.query, { resourceUrls, threads }, { caller: reader, organization }),
  };
}

/** Finds what a link leads to; undefined if it does not exist or its space is deleted. */
export async function findPdfSource(
  services: PdfServices,
  link: PdfSelection,
): Promise<PdfSource | undefined> {
  const { database, threads, log } = services;
  const space = await database.query
    .selectFrom('spaces')
    .select(['title', 'language', 'contentLanguage'])
    .where('id', '=', link.space)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  const revision = space && (await findRevision(database.query, link.space, link.revision));
  if (!revision) {
    return undefined;
  }
  const { organization, createdAt } = revision;
  const specifications = new Map<string, string | null>();
  const findStored = storedSpecificationFinder(database.query, organization);
  const find: FindStoredSpecification = async (name) => {
    const specification = await findStored(name);
    specifications.set(name, specification?.version ?? null);
    return specification;
  };
  const stored = await openContent(database.query, revision);
  const content = withComputed(stored, entryComputer({ threads, log }, organization, find));
  const page = link.page === undefined ? undefined : (await content.readPages([link.page])).get(link.page);
  if (link.page !== undefined && !page) {
    return undefined;
  }
  const language = space.language ?? space.contentLanguage;
  const title = page?.title ?? space.title;
  return { organization, title, language, createdAt, content, specifications, findSpecification: find };
}

/**
 * Returns a key of everything that a PDF depends on, except the versions of specifications. Only this server can
 * compute it.
 */
export async function pdfKey(
  { database, secretKey, resourceUrls }: PdfServices,
  { space, revision, page, only }: PdfSelection,
  { organization, title, language }: PdfSource,
  view: PrintedView,
): Promise<string> {
  return signLink(secretKey, [
    'printed pdf',
    await printerVersion(),
    organization,
    space,
    revision,
    page ?? '',
    String(only),
    title,
    language ?? '',
    resourceUrls.at(''),
    String(await spaceMapVersion(database.query, organization)),
    view.key,
  ]);
}

/** Finds a cached PDF that is still what would be printed now. */
export async function findCachedPdf(
  services: PdfServices,
  { organization }: PdfSource,
  key: string,
): Promise<StoredBlob | undefined> {
  const cached = await findPrintedPdf(services, { organization, key });
  if (!cached) {
    return undefined;
  }
  const find = storedSpecificationFinder(services.database.query, organization);
  for (const [name, version] of cached.specifications) {
    if (((await find(name))?.version ?? null) !== version) {
      return undefined;
    }
  }
  return cached;
}

/**
 * Prints a PDF, and caches it unless a part of it could not be printed.
 *
 * @throws errors of reading the content, ThreadsBusyError, TaskLimitError, and the reason of the signal
 */
export async function printAndCache(
  services: PdfServices,
  link: PdfSelection,
  source: PdfSource,
  { key, view }: { key: string; view: PrintedView },
  { signal, write, complete }: PrintOutput,
): Promise<void> {
  const { database, log, threads } = services;
  const { organization, title, language, createdAt, content, specifications } = source;
  const page = link.page === undefined ? undefined : await content.readPage(link.page);
  let [failures, bytes] = [0, 0];
  const from = {
    content,
    space: link.space,
    documents: new Documents(threads, organization),
    claims: view.claims,
    pageUrl: view.pageUrl,
    fileUrl: view.fileUrl,
    findSpecification: source.findSpecification,
    app: services.resourceUrls.at('/app'),
    findSpaceAddresses: spaceAddressFinder(database.query, services.resourceUrls, organization),
    describeOutside: view.describeOutside,
    findSectionOutside: view.findSectionOutside,
    readBytes: async ({ blob }: FileRecord) => await readBlob(services, organization, blob),
  };
  const job = {
    title,
    ...(language !== null && { language }),
    createdAt: new Date(createdAt),
    fonts: view.fonts,
    logo: await view.readLogo?.(),
    nodes: link.page === undefined ? includedIn(await content.readTree(), view) : page ? [page] : [],
    only: link.only,
    owner: organization,
    signal,
    failed: (error: string, subject: string) => {
      failures += 1;
      log.warn({ error, revision: link.revision }, `could not print ${subject} correctly`);
    },
  };
  await printPdf(threads, from, job, (part) => {
    bytes += part.byteLength;
    write(part);
  });
  if (failures > 0 || bytes > MAX_CACHED_PDF_BYTES) {
    return;
  }
  try {
    const versions: SpecificationVersions = [...specifications];
    const entry = { organization, key, space: link.space };
    await storePrintedPdf(services, entry, versions, complete());
  } catch (error) {
    log.warn({ err: error, revision: link.revision }, 'could not cache a PDF');
  }
}

const includedIn = (nodes: readonly PageNode[], view: PrintedView): PageNode[] =>
  nodes
    .filter(({ record }) => view.includes(record.id))
    .map((node) => ({ ...node, pages: includedIn(node.pages, view) }));
