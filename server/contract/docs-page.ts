import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { Router } from 'express';
import type { OpenApiDocument } from './document.ts';

const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Content Security Policy: the page loads only same-origin resources. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * The files of swagger-ui-dist that the page uses. The others are not served. Later versions of the package than the
 * installed one depend on a package whose install script reports each installation to a third party.
 */
const FILES = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

/**
 * Creates the routes of the contract's documentation: `GET /openapi.json`, and `GET /docs`, a self-hosted page
 * for reading and trying each operation.
 */
export function createDocsPage(document: OpenApiDocument): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const page = pageOf(document.info.title);
  // Serialized once and shared by all responses.
  let json: Buffer | undefined;
  router.get('/openapi.json', (_req, res) => {
    json ??= Buffer.from(JSON.stringify(document));
    res.type('json').send(json);
  });
  router.get('/docs', (_req, res) => {
    res.set('Content-Security-Policy', POLICY).set('X-Content-Type-Options', 'nosniff');
    res.type('html').send(page);
  });
  // The links of the page are relative, so that it also works behind a proxy that adds a path prefix.
  router.get('/docs/', (_req, res) => res.redirect(301, '../docs'));
  router.get('/docs/start.js', (_req, res) => {
    res.type('text/javascript').send(START);
  });
  router.use(
    '/docs',
    // Not `req.path`: it is undefined for targets such as `/docs//#`, which the contract router rejects.
    (req, _res, next) => next(FILES.has(req.url.slice(1).split('?')[0] ?? '') ? undefined : 'router'),
    express.static(assets, { index: false, redirect: false, maxAge: '1h' }),
  );
  return router;
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const pageOf = (title: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<noscript>This page requires JavaScript. The OpenAPI document is at <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'none',
  tagsSorter: 'alpha',
  filter: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
});
`;
