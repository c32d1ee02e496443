import { OutgoingError } from '../../../outgoing/errors.ts';
import type { FetchedResource } from '../../../outgoing/fetch.ts';
import type { ContentProblem } from '../../repository/types.ts';
import type { Budget } from '../budget.ts';
import { decodeHtmlBytes } from '../charset.ts';
import { UnreadableError } from '../errors.ts';
import { type HtmlPage, readHtml } from '../html/html.ts';
import { PageImages } from '../images.ts';
import { fetchProblem, limitProblems, unreadablePage } from '../problems.ts';
import type { Converted } from '../types.ts';
import { fetchRobots, type Robots } from './robots.ts';
import {
  isWithin,
  normalizePageUrl,
  relativeParts,
  type Scope,
  scopeAfterRedirect,
} from './website-scope.ts';
import { type SitePage, siteTree } from './website-tree.ts';

/** Maximum size of an imported page of a website. */
export const MAX_WEBSITE_PAGE_BYTES = 8_388_608;
/** Pages and images that are fetched concurrently. */
export const MAX_CONCURRENT_IMPORT_FETCHES = 4;
/** Maximum depth of paths that are followed; deeper paths are typically calendars and other generated pages. */
export const MAX_WEBSITE_DEPTH = 16;
const ACCEPT = 'text/html, application/xhtml+xml';
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;

/**
 * Reads a website: the pages of the same origin at or below the path of the first page, breadth first in the order of
 * their links, each as Markdown with its images as files. Respects the rules for robots. Stops at the first limit and
 * returns the pages up to then.
 *
 * @throws OutgoingError or UnreadableError if the first page cannot be read
 */
export async function convertWebsite(start: URL, budget: Budget, maxPages: number): Promise<Converted> {
  const first = await budget.fetch(start, { maxBytes: MAX_WEBSITE_PAGE_BYTES, accept: ACCEPT });
  requireHtml(first);
  const scope = scopeAfterRedirect(start, first.url);
  const robots = await fetchRobots(first.url, budget);
  const crawl = new Crawl({ budget, scope, robots, maxPages });
  await crawl.run(start, first);
  return crawl.result();
}

/** @throws UnreadableError if the response is not a page */
export function requireHtml({ status, contentType, url }: FetchedResource): void {
  if (status !== 200) {
    throw new UnreadableError(`${url.origin}${url.pathname} returned status ${status}. Check the URL.`);
  }
  if (!HTML.test(contentType)) {
    throw new UnreadableError(
      `${url.origin}${url.pathname} returned "${contentType}" instead of HTML. Check the URL.`,
    );
  }
}

type Task = { kind: 'page' | 'image'; address: string };
type Outcome = {
  task: Task;
  response?: FetchedResource;
  /** Whether the page was not fetched because a limit of the import was reached. */
  isOverLimit?: boolean;
  problem?: ContentProblem;
};

class Crawl {
  readonly #budget: Budget;
  readonly #scope: Scope;
  readonly #robots: Robots;
  readonly #maxPages: number;
  readonly #pages = new Map<string, SitePage>();
  /** Keys of pages by all URLs that lead to them. */
  readonly #keys = new Map<string, string>();
  readonly #images = new PageImages();
  readonly #seenImages = new Set<string>();
  readonly #tasks: Task[] = [];
  #start = '';
  /** Number of pages and images that were not fetched or not imported because a limit of the import was reached. */
  #omitted = { pages: 0, images: 0 };
  readonly #problems: ContentProblem[] = [];

  constructor({
    budget,
    scope,
    robots,
    maxPages,
  }: {
    budget: Budget;
    scope: Scope;
    robots: Robots;
    maxPages: number;
  }) {
    this.#budget = budget;
    this.#scope = scope;
    this.#robots = robots;
    this.#maxPages = maxPages;
  }

  /** @throws UnreadableError if the site disallows its first page */
  async run(start: URL, first: FetchedResource): Promise<void> {
    if (!this.#robots.allows(first.url.pathname + first.url.search)) {
      throw new UnreadableError(
        'The robots.txt of the site disallows this page. Allow it there, or use another source.',
      );
    }
    const address = normalizePageUrl(start);
    this.#start = address;
    this.#keys.set(address, address);
    this.#process({ kind: 'page', address }, first);
    if (this.#pages.size === 0) {
      throw new UnreadableError('The page has a noindex directive. Start from another page of the site.');
    }
    await this.#follow();
  }

  result(): Converted {
    const { files } = this.#images;
    return {
      pages: siteTree([...this.#pages.values()], this.#scope),
      files: [...files.values()],
      variables: {},
      target: (address) => {
        if (files.has(address)) {
          return { kind: 'file', key: address };
        }
        const url = URL.parse(address);
        const key = url === null ? undefined : this.#keys.get(normalizePageUrl(url));
        return key !== undefined && this.#pages.has(key) ? { kind: 'page', key } : undefined;
      },
      sourceEntries: this.#pages.size + this.#omitted.pages + this.#problems.length + this.#images.count,
      problems: [...this.#problems, ...this.#images.problems, ...limitProblems(this.#start, this.#omitted)],
    };
  }

  /**
   * Runs the tasks concurrently and processes their results in order, so that the tree of a site does not depend on
   * response times.
   */
  async #follow(): Promise<void> {
    const running: Promise<Outcome>[] = [];
    try {
      for (let next = 0; next < this.#tasks.length || running.length > 0; ) {
        while (running.length < MAX_CONCURRENT_IMPORT_FETCHES && next < this.#tasks.length) {
          const task = this.#tasks[next++];
          if (task === undefined) {
            break;
          }
          const outcome = this.#runTask(task);
          // An error is rethrown when its result is processed; until then it must not count as unhandled.
          outcome.catch(() => undefined);
          running.push(outcome);
        }
        const { task, response, isOverLimit, problem } = (await running.shift()) ?? {};
        if (isOverLimit) {
          this.#omitted.pages++;
        }
        if (problem) {
          this.#problems.push(problem);
        }
        if (task && response) {
          this.#process(task, response);
        }
      }
    } finally {
      // The first error is reported; the other tasks end within their limits.
      await Promise.allSettled(running);
    }
  }

  async #runTask(task: Task): Promise<Outcome> {
    const isOver = this.#budget.spent;
    if (task.kind === 'image') {
      if (isOver) {
        this.#images.skip();
        this.#omitted.images++;
      } else {
        await this.#images.fetch(task.address, this.#budget);
      }
      return { task };
    }
    if (isOver || this.#pages.size >= this.#maxPages) {
      return { task, isOverLimit: true };
    }
    try {
      const onRedirect = (to: URL) => {
        if (!this.#mayRead(to)) {
          throw new OutgoingError('refused-redirect', 'The redirect leaves the site.');
        }
      };
      return {
        task,
        response: await this.#budget.fetch(task.address, {
          maxBytes: MAX_WEBSITE_PAGE_BYTES,
          accept: ACCEPT,
          onRedirect,
        }),
      };
    } catch (error) {
      if (!(error instanceof OutgoingError) || error.code === 'aborted') {
        throw error;
      }
      if (this.#budget.spent) {
        return { task, isOverLimit: true };
      }
      const isOmitted = error.code === 'timeout' || error.code === 'too-large';
      return isOmitted ? { task, problem: fetchProblem(task.address, error) } : { task };
    }
  }

  #process({ address }: Task, response: FetchedResource): void {
    if (response.status !== 200 || !HTML.test(response.contentType)) {
      return;
    }
    const page = this.#read(response);
    if (page === undefined) {
      return;
    }
    const key = this.#keyOf(response.url, page);
    this.#keys.set(address, key);
    this.#keys.set(normalizePageUrl(response.url), key);
    if (this.#pages.has(key)) {
      return;
    }
    if (this.#pages.size >= this.#maxPages) {
      this.#omitted.pages++;
      return;
    }
    if (!page.noIndex) {
      const { title, description, markdown } = page;
      this.#pages.set(key, { key, title, description, markdown });
      for (const image of page.images) {
        this.#addImage(image);
      }
    }
    if (!page.noFollow) {
      for (const link of page.links) {
        this.#addPage(link);
      }
    }
  }

  #read({ body, charset, url }: FetchedResource): HtmlPage | undefined {
    try {
      return readHtml(decodeHtmlBytes(body, charset), { url: url.href, embed: this.#images.add });
    } catch (error) {
      if (!(error instanceof UnreadableError)) {
        throw error;
      }
      this.#problems.push(unreadablePage(url.href, error));
      return undefined;
    }
  }

  /** Returns the key of a page: its canonical URL if that belongs to the site, otherwise its URL. */
  #keyOf(url: URL, { canonical }: HtmlPage): string {
    const declared = canonical === undefined ? null : URL.parse(canonical);
    return normalizePageUrl(declared !== null && isWithin(this.#scope, declared) ? declared : url);
  }

  #mayRead(url: URL): boolean {
    return isWithin(this.#scope, url) && this.#robots.allows(url.pathname + url.search);
  }

  #addPage(link: string): void {
    const url = URL.parse(link);
    if (url === null || !this.#mayRead(url)) {
      return;
    }
    const address = normalizePageUrl(url);
    if (this.#keys.has(address) || relativeParts(this.#scope, address).length > MAX_WEBSITE_DEPTH) {
      return;
    }
    this.#keys.set(address, address);
    this.#tasks.push({ kind: 'page', address });
  }

  #addImage(address: string): void {
    const url = URL.parse(address);
    if (url === null || this.#seenImages.has(address)) {
      return;
    }
    this.#seenImages.add(address);
    if (url.origin === this.#scope.origin && !this.#robots.allows(url.pathname + url.search)) {
      return;
    }
    this.#tasks.push({ kind: 'image', address });
  }
}
