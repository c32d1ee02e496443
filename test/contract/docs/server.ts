import { readFileSync } from 'node:fs';
import express, { type RequestHandler } from 'express';
import { onTestFinished } from 'vitest';
import { createDocsPage } from '../../../server/contract/docs/docs-page.ts';
import type { OpenApiDocument } from '../../../server/contract/document.ts';
import { listen } from '../../../server/contract/listener.ts';
import { notFoundHandler } from '../../../server/contract/response/error-handler.ts';

/** Reads a generated document by its path in the repository. */
export function readDocument(path = 'generated/openapi.json'): OpenApiDocument {
  return JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
}

/**
 * Serves the documentation of a contract on loopback, at a prefix of the path. Returns the URL.
 *
 * `respond` handles the requests of its pages.
 */
export async function serveDocs(
  document: OpenApiDocument,
  {
    prefix = '/',
    respond = notFoundHandler as RequestHandler,
    onEnd = onTestFinished as (stop: () => Promise<void>) => void,
  } = {},
): Promise<string> {
  const app = express().disable('x-powered-by').disable('etag');
  app.use(prefix, createDocsPage(document));
  app.use(respond);
  const listener = await listen(0, '127.0.0.1');
  listener.serve(app);
  onEnd(() => listener.close(0));
  return `http://127.0.0.1:${listener.port}`;
}
