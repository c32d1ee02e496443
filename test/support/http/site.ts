import type { ServerResponse } from 'node:http';
import { type LoopbackServer, serveOnLoopback } from './loopback.ts';

/** Response at a path: a body, or a function that writes it. */
export type SiteResponse = string | Uint8Array | ((response: ServerResponse) => void);

/** A website on loopback. */
export interface TestSite extends LoopbackServer {
  /** Requested paths in order. */
  requestedPaths: string[];
}

const TYPES: [RegExp, string][] = [
  [/\.png$/, 'image/png'],
  [/\.svg$/, 'image/svg+xml'],
  [/\.txt$/, 'text/plain'],
  [/\.md$/, 'text/markdown'],
  [/\.zip$/, 'application/zip'],
  [/\.pdf$/, 'application/pdf'],
];

/** Serves responses by path with query; other paths are a 404. */
export async function startSite(responses: Readonly<Record<string, SiteResponse>>): Promise<TestSite> {
  const requestedPaths: string[] = [];
  const server = await serveOnLoopback((request, response) => {
    const path = request.url ?? '';
    requestedPaths.push(path);
    const body = responses[path];
    if (typeof body === 'function') {
      return body(response);
    }
    const type = TYPES.find(([pattern]) => pattern.test(path))?.[1] ?? 'text/html; charset=utf-8';
    response.setHeader('Content-Type', type);
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body ?? '<h1>Not found</h1>');
  });
  return { ...server, requestedPaths };
}

/** Returns a response that redirects. */
export const redirect = (to: string) => (response: ServerResponse) => {
  response.writeHead(302, { Location: to }).end();
};

/** Returns a page like those of documentation generators: an article among other elements. */
export function docsPage(title: string, text: string, { menu = '', head = '' } = {}): string {
  return `<!doctype html><html><head><title>${title} | Acme Docs</title>${head}</head><body>
<header><a href="/">Acme</a><img src="/logo.svg"></header><nav>${menu}</nav>
<main><article><h1>${title}</h1>${text}</article></main>
<div class="cookie-notice">We use cookies</div><footer>© Acme</footer></body></html>`;
}
