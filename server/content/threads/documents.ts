/** Parses pages as block documents in threads. */
import { LRUCache } from 'lru-cache';
import { TaskLimitError } from '../../threads/threads.ts';
import type { StoredSpecification } from '../computed/specification.ts';
import { mayContainTags } from '../expressions/condition-tags.ts';
import type { Claims } from '../expressions/conditions.ts';
import { mayContainExpressions, type PageVariables } from '../expressions/markdown.ts';
import type { ConditionalPart } from '../expressions/visible-text.ts';
import type { TextLocation } from '../links/address.ts';
import type { LinkPosition } from '../links/nodes.ts';
import type { References } from '../links/page-references.ts';
import type { UrlPatterns } from '../links/url-patterns.ts';
import type { ProblemReason } from '../markdown/document.ts';
import { hashOf } from '../tree/hash.ts';
import type { AnchoredText, IncludingText, ListedAnchors } from './anchors.ts';
import type { IncludedDocuments, includeDocuments } from './include.ts';
import type { CommentedBlock, ContentTasks, PageText, RenderingHost } from './tasks.ts';
import type { ContentThreads } from './threads.ts';

/** Maximum size of the cached documents of pages as JSON, in bytes: pages are read repeatedly. */
export const MAX_CACHED_DOCUMENT_BYTES = 64 * 1024 * 1024;
/** Maximum number of cached link destinations of pages. */
const MAX_CACHED_DESTINATIONS = 50_000;
/** Maximum number of cached names of the anchors of pages. */
const MAX_CACHED_ANCHORS = 200_000;
/** Maximum number of texts that are remembered as exceeding a limit, so that only the first read is slow. */
const MAX_CACHED_FAILURES = 10_000;

const documents = new LRUCache<string, Uint8Array>({ maxSize: MAX_CACHED_DOCUMENT_BYTES });
const destinations = new LRUCache<string, readonly string[]>({ maxSize: MAX_CACHED_DESTINATIONS });
const anchors = new LRUCache<string, ListedAnchors>({ maxSize: MAX_CACHED_ANCHORS });
const exceeded = new LRUCache<string, ProblemReason>({ max: MAX_CACHED_FAILURES });

/** Documents being read, by organization and text: concurrent reads wait for the same result. */
const pending = new Map<string, Promise<Uint8Array>>();

/** A text to be read as a document, identified by its hash so that a cached document requires neither reading nor hashing it. */
export interface DocumentText {
  /** See `hashOf`. */
  hash: string;
  read(): Promise<string>;
}

/** Returns a text that is in memory. */
export const documentText = (markdown: string): DocumentText => ({
  hash: hashOf(markdown),
  read: async () => markdown,
});

/** The input of a task, and its key in the caches. */
interface KeyedInput {
  key: string;
  read(): Promise<PageText>;
}

/** The tasks that process the document of a page. */
type DocumentTask = {
  [Name in keyof ContentTasks]: Parameters<ContentTasks[Name]>[0] extends PageText ? Name : never;
}[keyof ContentTasks];

/** Reads documents for an organization. A text that exceeds a limit is shown verbatim, with a problem. */
export class Documents {
  readonly #threads: ContentThreads;
  readonly #organization: string;

  constructor(threads: ContentThreads, organization: string) {
    this.#threads = threads;
    this.#organization = organization;
  }

  /**
   * Returns the document of a text as JSON in UTF-8.
   *
   * @param variables values for its expressions; without them, expressions are unchanged
   * @param references the references by resource that the document contains instead of URLs
   * @param blocks those of integrations that replace links and embeds
   * @throws ThreadsBusyError
   */
  async read(
    text: DocumentText,
    variables?: PageVariables,
    references?: References,
    blocks: readonly UrlPatterns[] = [],
  ): Promise<Uint8Array> {
    const input = await inputOf(text, variables);
    const replaced = (references?.size ?? 0) + blocks.length > 0;
    const key = input.key + (replaced ? hashOf(JSON.stringify([[...(references ?? [])], blocks])) : '');
    const cached = documents.get(key);
    if (cached) {
      return cached;
    }
    const name = `${this.#organization} ${key}`;
    const parse = async () =>
      await this.#run('readDocument', { ...(await input.read()), references, blocks }, input.key);
    const reading = pending.get(name) ?? parse();
    pending.set(name, reading);
    try {
      const json = await reading;
      documents.set(key, json, { size: json.byteLength });
      return json;
    } finally {
      pending.delete(name);
    }
  }

  /**
   * Replaces inclusions of reusable content in a document with their blocks, see {@link includeDocuments}.
   *
   * @throws ThreadsBusyError, and TaskLimitError
   */
  async include(document: Uint8Array, included: IncludedDocuments): Promise<Uint8Array> {
    const bytes = [...included.values()].reduce(
      (sum, { byteLength }) => sum + byteLength,
      document.byteLength,
    );
    return await this.#threads.run(
      'includeDocuments',
      { document, included },
      { owner: this.#organization, bytes },
    );
  }

  /**
   * Returns the document of a text that is printed once, as JSON in UTF-8: the cached one, or one that is parsed
   * faster; with `claims`, of the text that this visitor sees.
   *
   * @param specifications by the names that blocks of the text have for them: their parts replace these blocks
   * @throws ThreadsBusyError
   */
  async readPrinted(
    text: DocumentText,
    variables?: PageVariables,
    claims?: Claims,
    specifications: ReadonlyMap<string, StoredSpecification> = new Map(),
  ): Promise<Uint8Array> {
    const { key, read } = await inputOf(text, variables);
    if (specifications.size > 0) {
      const input = { ...(await read()), claims, specifications: versionsOf(specifications) };
      return await this.#run('readPrintedParts', input, `parts ${key}`, hostOf(specifications));
    }
    if (claims) {
      return await this.#run('readPrinted', { ...(await read()), claims }, key);
    }
    return documents.get(key) ?? (await this.#run('readPrinted', await read(), key));
  }

  /**
   * Divides a text by its conditions, see `conditionalParts`.
   *
   * @throws ThreadsBusyError; a text that exceeds a limit has no parts
   */
  async divide(markdown: string): Promise<ConditionalPart[]> {
    try {
      return await this.#threads.run('divide', { markdown }, this.#options(markdown));
    } catch (error) {
      if (error instanceof TaskLimitError) {
        return [];
      }
      throw error;
    }
  }

  /** Returns the link destinations in a text; none if finding them exceeds a limit. */
  async listDestinations(text: DocumentText, variables?: PageVariables): Promise<readonly string[]> {
    const { key, read } = await inputOf(text, variables);
    const cached = destinations.get(key);
    if (cached) {
      return cached;
    }
    const listed = await this.#run('listDestinations', await read(), `destinations ${key}`);
    destinations.set(key, listed, { size: listed.length + 1 });
    return listed;
  }

  /** Returns the anchors of a published page. */
  async listAnchors(
    text: DocumentText,
    variables: PageVariables,
    page: Pick<AnchoredText, 'title' | 'targets'> & {
      included: ReadonlyMap<string, IncludingText & { hash: string }>;
    },
    specifications: ReadonlyMap<string, StoredSpecification>,
  ): Promise<ListedAnchors> {
    const { key, read } = await inputOf(text, variables);
    const parts = [...page.included].map(([id, { hash, targets = [] }]) => [id, hash, [...targets]]);
    const versions = versionsOf(specifications);
    const within = [parts.length > 0 && [variables, parts], [...versions]];
    const name = `${key} ${hashOf(JSON.stringify([page.title, ...within]))}`;
    const cached = anchors.get(name);
    if (cached) {
      return cached;
    }
    const input = { ...(await read()), ...page, specifications: versions };
    const listed = await this.#run('listAnchors', input, `anchors ${name}`, hostOf(specifications));
    anchors.set(name, listed, { size: listed.names.size + listed.titles.size + 1 });
    return listed;
  }

  /**
   * Replaces the expressions of a text with their values; with `claims`, returns what this visitor sees of it. Returns
   * a text without conditions unchanged if that exceeds a limit.
   *
   * @throws ThreadsBusyError, and TaskLimitError for a text with conditions
   */
  async evaluate(markdown: string, variables: PageVariables, claims?: Claims): Promise<string> {
    const isConditional = claims !== undefined && mayContainTags(markdown);
    if (!isConditional && !mayContainExpressions(markdown)) {
      return markdown;
    }
    try {
      return await this.#threads.run('evaluate', { markdown, variables, claims }, this.#options(markdown));
    } catch (error) {
      if (error instanceof TaskLimitError && !isConditional) {
        return markdown;
      }
      throw error;
    }
  }

  /** Returns the block with a key, and whether it is a table with a cell. */
  findBlock(
    markdown: string,
    node: string,
    cell?: { record: string; definition: string },
  ): Promise<CommentedBlock | undefined> {
    return this.#run('findBlock', { markdown, node, cell });
  }

  /** Returns those of the keys that belong to blocks. */
  async existingKeys(markdown: string, keys: readonly string[]): Promise<Set<string>> {
    return new Set(await this.#run('existingKeys', { markdown, keys }));
  }

  /** Returns the positions of links, by those of the names (see `nodesByLink`) that exist in the text. */
  async linkNodes(
    markdown: string,
    { page, location, names }: { page: string; location: TextLocation; names: readonly string[] },
  ): Promise<Map<string, LinkPosition>> {
    return new Map(await this.#run('linkNodes', { markdown, page, location, names }));
  }

  /** Runs a task on a text; if that exceeds a limit, on the text verbatim. */
  async #run<Name extends DocumentTask>(
    name: Name,
    input: Parameters<ContentTasks[Name]>[0],
    key = hashOf(input.markdown),
    host?: Parameters<ContentTasks[Name]>[1],
  ): Promise<Awaited<ReturnType<ContentTasks[Name]>>> {
    const options = { ...this.#options(input.markdown), host };
    if (!exceeded.has(key)) {
      try {
        return await this.#threads.run(name, input, options);
      } catch (error) {
        if (!(error instanceof TaskLimitError)) {
          throw error;
        }
        exceeded.set(key, error.limit === 'time' ? 'time-limit' : 'memory-limit');
      }
    }
    return await this.#threads.run(name, { ...input, exceeded: exceeded.get(key) }, options);
  }

  #options = (markdown: string) => ({ owner: this.#organization, bytes: markdown.length });
}

const versionsOf = (specifications: ReadonlyMap<string, StoredSpecification>): Map<string, string> =>
  new Map([...specifications].map(([name, { version }]) => [name, version]));

const hostOf = (specifications: ReadonlyMap<string, StoredSpecification>): RenderingHost => ({
  readSpecification: async (name) => await specifications.get(name)?.readJson(),
});

/** Returns the input of a task: variables matter only if the text contains expressions. */
async function inputOf({ hash, read }: DocumentText, variables?: PageVariables): Promise<KeyedInput> {
  if (variables) {
    const markdown = await read();
    if (mayContainExpressions(markdown)) {
      return { key: hash + hashOf(JSON.stringify(variables)), read: async () => ({ markdown, variables }) };
    }
    return { key: hash, read: async () => ({ markdown }) };
  }
  return { key: hash, read: async () => ({ markdown: await read() }) };
}
