/** Renders pages as HTML in threads. */
import { LRUCache } from 'lru-cache';
import { TaskLimitError } from '../../threads/threads.ts';
import type { StoredSpecification } from '../computed/specification.ts';
import type { Claims } from '../expressions/conditions.ts';
import type { PageVariables } from '../expressions/markdown.ts';
import type { RenderedPage, RenderOptions, RenderTargets } from '../html/options.ts';
import type { IncludedText } from '../html/page.ts';
import type { ProblemReason } from '../markdown/document.ts';
import { hashOf } from '../tree/hash.ts';
import type { DocumentText } from './documents.ts';
import { type ContentThreads, MAX_INLINE_CHARACTERS } from './threads.ts';

/** Maximum number of characters of cached pages: readers of a site request the same pages. */
export const MAX_CACHED_MARKUP_CHARACTERS = 32_000_000;
/** Maximum number of texts that are remembered as exceeding a limit, so that only the first attempt is slow. */
const MAX_CACHED_FAILURES = 10_000;
/**
 * Maximum processor time for rendering a page. A page that takes longer is rendered without highlighting its code, or
 * else shown verbatim, with a note.
 */
export const MAX_RENDER_PROCESSOR_MS = 5000;

const pages = new LRUCache<string, RenderedPage>({ maxSize: MAX_CACHED_MARKUP_CHARACTERS });
const failures = new LRUCache<string, Failure>({ max: MAX_CACHED_FAILURES });
/** Pages being rendered, by organization and key: concurrent readers wait for the same result. */
const pending = new Map<string, Promise<RenderedPage>>();

/** Limit that rendering a page exceeded. */
interface Failure {
  reason: ProblemReason;
  /** Whether the limit was exceeded without highlighting code, too. */
  isPlain: boolean;
}

/** Text of a reusable content, with values for its expressions and the targets of its own references. */
export interface IncludedDocument {
  text: DocumentText;
  variables?: PageVariables | undefined;
  targets: RenderTargets;
}

/** How a text is rendered. */
export interface PageRendering {
  /** Values for the expressions of the text; without them, expressions are unchanged. */
  variables?: PageVariables | undefined;
  options: Omit<RenderOptions, 'included'>;
  /** Claims about the visitor, for conditions; without them, all content is shown. */
  claims?: Claims | undefined;
  /** Reusable contents by the key in their targets. */
  included?: ReadonlyMap<string, IncludedDocument> | undefined;
  /** Specifications that blocks of the text show parts of, by the names in `specificationsIn`. */
  specifications?: ReadonlyMap<string, StoredSpecification> | undefined;
}

/** Renders pages for an organization. A text that exceeds a limit is shown verbatim, with a note. */
export class RenderedPages {
  readonly #threads: ContentThreads;
  readonly #organization: string;

  constructor(threads: ContentThreads, organization: string) {
    this.#threads = threads;
    this.#organization = organization;
  }

  /**
   * Renders the text of a page. A cached result requires no reading of texts.
   *
   * @throws ThreadsBusyError
   */
  async render(text: DocumentText, rendering: PageRendering): Promise<RenderedPage> {
    const key = keyOf(text, rendering);
    const cached = pages.get(key);
    if (cached) {
      return cached;
    }
    const name = `${this.#organization} ${key}`;
    const task = pending.get(name) ?? this.#run(key, text, rendering);
    pending.set(name, task);
    try {
      const page = await task;
      pages.set(key, page, { size: page.html.length + 1 });
      return page;
    } finally {
      pending.delete(name);
    }
  }

  async #run(key: string, text: DocumentText, rendering: PageRendering): Promise<RenderedPage> {
    const { variables, options, claims, specifications = new Map<string, StoredSpecification>() } = rendering;
    const markdown = await text.read();
    const included = await readIncluded(rendering.included);
    const bytes = [...included.values()].reduce((sum, part) => sum + part.markdown.length, markdown.length);
    const versions = new Map([...specifications].map(([spec, { version }]) => [spec, version]));
    const run = (failure?: Failure) =>
      this.#threads.run(
        'renderPage',
        {
          markdown,
          variables,
          options: failure ? { ...options, plainCode: true } : options,
          claims,
          included,
          specifications: versions,
          exceeded: failure?.isPlain ? failure.reason : undefined,
        },
        {
          host: { readSpecification: async (spec) => await specifications.get(spec)?.readJson() },
          owner: this.#organization,
          // Short texts are rendered in threads, too: only they load the renderer.
          bytes: Math.max(bytes, MAX_INLINE_CHARACTERS + 1),
          limits: { processorMs: MAX_RENDER_PROCESSOR_MS },
        },
      );
    // First as requested, then without highlighting code, then verbatim.
    for (;;) {
      const failure = failures.get(key);
      try {
        return await run(failure);
      } catch (error) {
        if (!(error instanceof TaskLimitError) || failure?.isPlain) {
          throw error;
        }
        const reason = error.limit === 'time' ? 'time-limit' : 'memory-limit';
        failures.set(key, { reason, isPlain: failure !== undefined });
      }
    }
  }
}

async function readIncluded(
  included: PageRendering['included'] = new Map(),
): Promise<Map<string, IncludedText>> {
  const texts = [...included].map(
    async ([key, { text, variables, targets }]) =>
      [key, { markdown: await text.read(), variables, targets }] as const,
  );
  return new Map(await Promise.all(texts));
}

/** Returns the key of a page in the cache: everything that its markup depends on. */
function keyOf(
  { hash }: DocumentText,
  { variables, options, claims, included = new Map(), specifications = new Map() }: PageRendering,
): string {
  const parts = [...included].map(([key, content]) => [
    key,
    content.text.hash,
    content.variables,
    [...content.targets],
  ]);
  const versions = [...specifications].map(([spec, { version }]) => [spec, version]);
  const { targets, ...rest } = options;
  return hash + hashOf(JSON.stringify([variables, rest, claims, [...(targets ?? [])], parts, versions]));
}
