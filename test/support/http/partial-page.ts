import { Readable } from 'node:stream';
import { serveOnLoopback } from './loopback.ts';

/** A page that arrives in parts, as over a slow network. */
export interface PartialPage {
  /** URL of the page at a server of its own, which forwards the requests of the page. */
  url: string;
  /** Sends the next part. */
  next(): void;
  close(): Promise<void>;
}

/**
 * Serves a page in parts, one at a time, the first immediately.
 *
 * @param ends the texts that end the parts, except the last part
 */
export async function serveInParts(page: string, ends: readonly RegExp[]): Promise<PartialPage> {
  const { origin, pathname } = new URL(page);
  const html = await (await fetch(page)).text();
  const cuts = ends.map((end) => {
    const found = end.exec(html);
    if (!found) {
      throw new Error(`${page} does not contain ${end}.`);
    }
    return found.index + found[0].length;
  });
  const body = new Readable({ read() {} });
  let sent = 0;
  const next = () => {
    const end = cuts.shift() ?? html.length;
    body.push(html.slice(sent, end));
    sent = end;
    if (end === html.length) {
      body.push(null);
    }
  };
  next();
  const server = await serveOnLoopback(async ({ url = '' }, response) => {
    const forwarded = await fetch(`${origin}${url}`);
    response.writeHead(forwarded.status, { 'Content-Type': forwarded.headers.get('content-type') ?? '' });
    if (url === pathname) {
      body.pipe(response);
    } else {
      response.end(await forwarded.bytes());
    }
  });
  return { url: `${server.url}${pathname}`, next, close: server.close };
}
