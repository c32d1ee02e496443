import { createServer, type Server, type ServerResponse } from 'node:http';

/** Response at a path: a body, or a function that writes it. */
export type SiteResponse = string | Uint8Array | ((response: ServerResponse) => void);

/** A website on loopback. */
export interface TestSite {
  /** URL without a trailing slash. */
  url: string;
  /** Requested paths in order. */
  requestedPaths: string[];
  close(): Promise<void>;
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
  const server: Server = createServer((request, response) => {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requestedPaths,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
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
