import {
  body,
  closed,
  counter,
  documentOf,
  found,
  type Habit,
  inPath,
  ref,
  reject,
  responses,
} from '../habit.ts';

interface Page {
  id: string;
  text: string;
}
const write = closed({ text: { type: 'string', maxLength: 20 } }, ['text']);
const etag = { ETag: { required: true, schema: { type: 'string' } } };
const ifMatch = (required: boolean) => ({
  name: 'If-Match',
  in: 'header',
  required,
  schema: { type: 'string' },
});

/** Preconditions: each change requires the current version, which is in a header of reads and writes. */
export const etags: Habit = {
  document: documentOf(
    {
      '/pages': {
        post: {
          operationId: 'createPage',
          requestBody: body(write),
          responses: responses(201, ref('Page'), undefined, etag),
        },
      },
      '/pages/{pageId}': {
        parameters: [inPath('pageId')],
        get: { operationId: 'getPage', responses: responses(200, ref('Page'), undefined, etag) },
        put: {
          operationId: 'replacePage',
          parameters: [ifMatch(true)],
          requestBody: body(write),
          responses: responses(200, ref('Page'), undefined, etag),
        },
        // The contract cannot state that the server requires it (428).
        delete: { operationId: 'deletePage', parameters: [ifMatch(false)], responses: responses(204) },
      },
    },
    { Page: closed({ id: { type: 'string' }, text: { type: 'string', maxLength: 20 } }, ['id', 'text']) },
  ),
  faults: { 'ignores replacements': 'read-after-update', 'keeps deleted pages': 'read-after-delete' },
  handlers(fault) {
    const pages = new Map<string, { page: Page; version: number }>();
    const next = counter('page');
    const shown = ({ page, version }: { page: Page; version: number }) => ({
      body: page,
      headers: { ETag: `"v${version}"` },
    });
    const current = (path: Record<string, string>, headers: Record<string, string>) => {
      const expected = headers['If-Match'] ?? headers['if-match'];
      const entry = pages.get(path.pageId ?? '');
      if (expected === undefined) {
        return reject(428);
      }
      return entry && expected === `"v${entry.version}"` ? entry : reject(entry ? 412 : 404);
    };
    return {
      createPage: ({ body }) => {
        const entry = { page: { id: next(), ...(body as { text: string }) }, version: 1 };
        pages.set(entry.page.id, entry);
        return { status: 201, ...shown(entry) };
      },
      getPage: ({ path }) => ({ status: 200, ...shown(found(pages.get(path.pageId ?? ''))) }),
      replacePage: ({ path, headers, body }) => {
        const entry = current(path, headers);
        entry.version += 1;
        if (fault !== 'ignores replacements') {
          entry.page = { id: entry.page.id, ...(body as { text: string }) };
        }
        return { status: 200, ...shown(entry) };
      },
      deletePage: ({ path, headers }) => {
        const { page } = current(path, headers);
        if (fault !== 'keeps deleted pages') {
          pages.delete(page.id);
        }
        return { status: 204 };
      },
    };
  },
};
