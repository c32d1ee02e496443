import { createServer, type Server, type ServerResponse } from 'node:http';

/** What a site answers at a path: a body, or anything by hand. */
export type SiteAnswer = string | Uint8Array | ((response: ServerResponse) => void);

/** A website on loopback. */
export interface TestSite {
  /** Without a slash at its end. */
  url: string;
  /** The paths that were asked for, in order. */
  asked: string[];
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

/** Serves a site by paths with their queries; what it has not is a 404. */
export async function startSite(answers: Readonly<Record<string, SiteAnswer>>): Promise<TestSite> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = answers[path];
    if (typeof answer === 'function') {
      return answer(response);
    }
    const type = TYPES.find(([pattern]) => pattern.test(path))?.[1] ?? 'text/html; charset=utf-8';
    response.setHeader('Content-Type', type);
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(answer ?? '<h1>Not found</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An answer that leads elsewhere. */
export const redirect = (to: string) => (response: ServerResponse) => {
  response.writeHead(302, { Location: to }).end();
};

/** A page as makers of documentation make them: a text among much that is none. */
export function docsPage(title: string, text: string, { menu = '', head = '' } = {}): string {
  return `<!doctype html><html><head><title>${title} | Acme Docs</title>${head}</head><body>
<header><a href="/">Acme</a><img src="/logo.svg"></header><nav>${menu}</nav>
<main><article><h1>${title}</h1>${text}</article></main>
<div class="cookie-notice">We use cookies</div><footer>© Acme</footer></body></html>`;
}
