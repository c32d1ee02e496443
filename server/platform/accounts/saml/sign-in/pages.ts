import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { type Html, html } from '../../../../contract/docs/html.ts';
import { endEarly } from '../../../../contract/limits/linger.ts';

const STYLE =
  ':root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{margin:15vh auto;max-width:32rem;padding:0 1rem}';

/** Only the style of the page, and forms to this server. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** Headers of all responses of the service. Forms send `Origin` only with a referrer policy that permits it. */
export const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** Sends a page, even if the body of the request was not read. */
export function sendPage(
  req: Request,
  res: Response,
  { status = 200, title, content }: { status?: number; title: string; content: Html },
): void {
  res.status(status).type('html');
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  endEarly(req, res, page.text);
}

/** Returns the content of the page after a sign-in. */
export const signedInContent = (signOutURL: string): Html =>
  html`<p>You can close this page.</p>
<form method="post" action="${signOutURL}"><button>Sign out</button></form>`;

/** Content of the page after a sign-out. */
export const SIGNED_OUT_CONTENT = html`<p>You can close this page.</p>`;

/** Returns the content of the page of a rejected request. */
export const failureContent = (message: string, requestId: string): Html =>
  html`<p>${message}</p>
<p>Request ID: <code>${requestId}</code></p>`;
