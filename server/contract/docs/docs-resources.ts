import type { OpenApiDocument } from '../document.ts';
import { lazily } from '../lazily.ts';
import { createLinks } from './layout.ts';
import { modelPage, operationPage, overviewPage } from './pages.ts';
import { readReference } from './reference.ts';
import { Resource, readAssets } from './resources.ts';

/** Content Security Policy: the page loads only resources of its own server, and no inline scripts or styles. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE_HEADERS = { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' };

/** Quality of the compression of pages, which are rendered for each request, and of the document. */
const [PAGE_QUALITY, DOCUMENT_QUALITY] = [5, 9];

/** Returns the function that finds what a path of the contract's documentation contains. */
export function createDocsResources(document: OpenApiDocument): (path: string) => Resource | undefined {
  const assets = readAssets();
  const reference = lazily(() => readReference(document));
  const json = lazily(
    () =>
      new Resource(
        'application/json; charset=utf-8',
        JSON.stringify(document),
        { 'Cache-Control': 'no-cache' },
        DOCUMENT_QUALITY,
      ),
  );
  // The links of the pages are relative, so that they also work behind a proxy that adds a path prefix.
  const [rootLinks, nestedLinks] = [createLinks('', assets.path), createLinks('../../', assets.path)];

  const pageAt = (path: string): string | undefined => {
    if (path === '/docs') {
      return overviewPage(reference(), rootLinks);
    }
    const [, kind, name = ''] = /^\/docs\/(operations|models)\/([^/]+)$/.exec(path) ?? [];
    const id = decoded(name);
    if (kind === 'operations') {
      const operation = reference().operations.get(id);
      return operation && operationPage(reference(), operation, nestedLinks);
    }
    return kind === 'models' && reference().models.has(id)
      ? modelPage(reference(), id, nestedLinks)
      : undefined;
  };

  return (path) => {
    if (path === '/openapi.json') {
      return json();
    }
    const page = pageAt(path);
    return page === undefined
      ? assets.resources.get(path)
      : new Resource('text/html; charset=utf-8', page, PAGE_HEADERS, PAGE_QUALITY);
  };
}

/** Decodes a segment of a path. Returns an empty name for an invalid one. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
