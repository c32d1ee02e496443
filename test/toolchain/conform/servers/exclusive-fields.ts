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

const text = { type: 'string', maxLength: 3 };
const label = { title: text, emoji: text, icon: text };

/**
 * Fields that replace each other: a page has an emoji or an icon. Repeated keys of requests return the first response
 * again.
 */
export const exclusiveFields: Habit = {
  document: documentOf(
    {
      '/pages': {
        post: {
          operationId: 'createPage',
          parameters: [
            { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', minLength: 1, maxLength: 1 } },
          ],
          requestBody: body(closed({ title: text })),
          responses: responses(201, ref('Page')),
        },
      },
      '/pages/{pageId}': {
        parameters: [inPath('pageId')],
        get: { operationId: 'getPage', responses: responses(200, ref('Page')) },
        patch: {
          operationId: 'updatePage',
          requestBody: body({ ...closed(label), 'x-rule': 'An emoji or an icon.' }),
          responses: responses(200, ref('Page')),
        },
        delete: { operationId: 'deletePage', responses: responses(204) },
      },
    },
    { Page: closed({ id: { type: 'string' }, ...label }, ['id', 'title', 'emoji', 'icon']) },
  ),
  faults: { 'forgets titles': 'patch-preserves-omitted' },
  handlers(fault) {
    const next = counter('id');
    const pages = new Map<string, Page>();
    const created = new Map<string, { sent: string; page: Page }>();
    return {
      createPage: ({ headers, body }) => {
        const key = headers['Idempotency-Key'];
        const earlier = key === undefined ? undefined : created.get(key);
        const sent = JSON.stringify(body);
        if (earlier) {
          return earlier.sent === sent ? { status: 201, body: earlier.page } : reject(409);
        }
        const page = { id: next(), title: '', emoji: '', icon: '', ...(body as Partial<Page>) };
        pages.set(page.id, page);
        if (key !== undefined) {
          created.set(key, { sent, page });
        }
        return { status: 201, body: page };
      },
      getPage: ({ path }) => ({ status: 200, body: found(pages.get(path.pageId ?? '')) }),
      updatePage: ({ path, body }) => {
        const before = found(pages.get(path.pageId ?? ''));
        const changes = body as Partial<Page>;
        if (changes.emoji && changes.icon) {
          return reject(400);
        }
        const page = {
          ...before,
          ...(fault === 'forgets titles' && changes.icon !== undefined && { title: '' }),
          ...(changes.emoji && { icon: '' }),
          ...(changes.icon && { emoji: '' }),
          ...changes,
        };
        pages.set(page.id, page);
        return { status: 200, body: page };
      },
      deletePage: ({ path }) => (pages.delete(path.pageId ?? '') ? { status: 204 } : reject(404)),
    };
  },
};

interface Page {
  id: string;
  title: string;
  emoji: string;
  icon: string;
}
