/** Parses pages as block documents in threads. */
import { LRUCache } from 'lru-cache';
import { TaskLimitError } from '../../threads/threads.ts';
import { mayContainExpressions, type PageVariables } from '../expressions/markdown.ts';
import type { TextLocation } from '../links/address.ts';
import type { LinkPosition } from '../links/nodes.ts';
import type { References } from '../links/page-references.ts';
import type { ProblemReason } from '../markdown/document.ts';
import { hashOf } from '../tree/hash.ts';
import type { CommentedBlock, ContentTasks, PageText } from './tasks.ts';
import type { ContentThreads } from './threads.ts';

/** Maximum size of the cached documents of pages as JSON, in bytes: pages are read repeatedly. */
export const MAX_CACHED_DOCUMENT_BYTES = 64 * 1024 * 1024;
/** Maximum number of cached link destinations of pages. */
const MAX_CACHED_DESTINATIONS = 50_000;
/** Maximum number of cached anchors of pages. */
const MAX_CACHED_ANCHORS = 200_000;
/** Maximum number of texts that are remembered as exceeding a limit, so that only the first read is slow. */
const MAX_CACHED_FAILURES = 10_000;

const documents = new LRUCache<string, Uint8Array>({ maxSize: MAX_CACHED_DOCUMENT_BYTES });
const destinations = new LRUCache<string, readonly string[]>({ maxSize: MAX_CACHED_DESTINATIONS });
const anchors = new LRUCache<string, ReadonlySet<string>>({ maxSize: MAX_CACHED_ANCHORS });
const exceeded = new LRUCache<string, ProblemReason>({ max: MAX_CACHED_FAILURES });

/** Documents being read, by organization and text: concurrent reads wait for the same result. */
const pending = new Map<string, Promise<Uint8Array>>();

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
   * @throws ThreadsBusyError
   */
  async read(markdown: string, variables?: PageVariables, references?: References): Promise<Uint8Array> {
    const text = textOf(markdown, variables);
    const key = keyOf(text) + (references?.size ? hashOf(JSON.stringify([...references])) : '');
    const cached = documents.get(key);
    if (cached) {
      return cached;
    }
    const name = `${this.#organization} ${key}`;
    const reading = pending.get(name) ?? this.#run('readDocument', { ...text, references }, keyOf(text));
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
   * Returns the document of a text that is printed once, as JSON in UTF-8: the cached one, or one that is parsed
   * faster.
   *
   * @throws ThreadsBusyError
   */
  async readPrinted(markdown: string, variables?: PageVariables): Promise<Uint8Array> {
    const text = textOf(markdown, variables);
    return documents.get(keyOf(text)) ?? (await this.#run('readPrinted', text));
  }

  /** Returns the link destinations in a text; none if finding them exceeds a limit. */
  async listDestinations(markdown: string, variables?: PageVariables): Promise<readonly string[]> {
    const text = textOf(markdown, variables);
    const key = keyOf(text);
    const cached = destinations.get(key);
    if (cached) {
      return cached;
    }
    const listed = await this.#run('listDestinations', text, `destinations ${key}`);
    destinations.set(key, listed, { size: listed.length + 1 });
    return listed;
  }

  /**
   * Returns the keys of the anchors in a text, see `anchorKey`; undefined if finding them exceeds a limit.
   */
  async listAnchors(markdown: string): Promise<ReadonlySet<string> | undefined> {
    const key = keyOf({ markdown });
    const cached = anchors.get(key);
    if (cached) {
      return cached;
    }
    const listed = await this.#run('listAnchors', { markdown }, `anchors ${key}`);
    if (listed === undefined) {
      return undefined;
    }
    const keys = new Set(listed);
    anchors.set(key, keys, { size: keys.size + 1 });
    return keys;
  }

  /** Replaces the expressions of a text with their values. Returns the text unchanged if that exceeds a limit. */
  async evaluate(markdown: string, variables: PageVariables): Promise<string> {
    if (!mayContainExpressions(markdown)) {
      return markdown;
    }
    try {
      return await this.#threads.run('evaluate', { markdown, variables }, this.#options(markdown));
    } catch (error) {
      if (error instanceof TaskLimitError) {
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
    key = keyOf(input),
  ): Promise<Awaited<ReturnType<ContentTasks[Name]>>> {
    const options = this.#options(input.markdown);
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

/** Returns the input of a document: variables matter only if there are expressions. */
const textOf = (markdown: string, variables: PageVariables | undefined): PageText =>
  variables && mayContainExpressions(markdown) ? { markdown, variables } : { markdown };

const keyOf = ({ markdown, variables }: PageText): string =>
  hashOf(markdown) + (variables ? hashOf(JSON.stringify(variables)) : '');
