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

const title = { type: 'string', maxLength: 9 };
const withId = [inPath('articleId')];

/**
 * State that other operations change: an article is public only after it was published, is published only with a
 * language that the description requires, and refers to another article.
 */
export const publication: Habit = {
  document: documentOf(
    {
      '/articles': {
        post: {
          operationId: 'createArticle',
          requestBody: body(ref('ArticleWrite')),
          responses: responses(201, ref('Article')),
        },
      },
      '/articles/{articleId}': {
        parameters: withId,
        get: { operationId: 'getArticle', responses: responses(200, ref('Article')) },
        delete: { operationId: 'deleteArticle', responses: responses(204) },
      },
      '/articles/{articleId}/publish': {
        parameters: withId,
        post: {
          operationId: 'publishArticle',
          requestBody: body(ref('Publication')),
          responses: responses(200, ref('Article')),
        },
      },
      '/articles/{articleId}/public': {
        parameters: withId,
        get: {
          operationId: 'readPublicArticle',
          responses: responses(200, { type: 'string' }, 'text/plain'),
        },
      },
      '/articles/{articleId}/successor': {
        parameters: withId,
        put: {
          operationId: 'setSuccessor',
          requestBody: body(closed({ articleId: { type: 'string' } }, ['articleId'])),
          responses: responses(204),
        },
      },
      '/articles/{articleId}/restore': {
        parameters: withId,
        post: { operationId: 'restoreArticle', responses: responses(200, ref('Article')) },
      },
      '/articles/{articleId}/feed': {
        parameters: withId,
        post: {
          operationId: 'feedArticle',
          responses: {
            ...responses(204),
            502: { description: 'No feed', content: { 'application/json': {} } },
          },
        },
      },
    },
    {
      ArticleWrite: closed({ title }, ['title']),
      Article: closed({ id: { type: 'string' }, title }, ['id', 'title']),
      Publication: {
        ...closed({ language: { type: 'string', maxLength: 9, 'x-rule': 'One of the known languages.' } }, [
          'language',
        ]),
        examples: [{ language: 'en' }],
      },
    },
  ),
  faults: { 'fails for other languages': 'no-server-error', 'loses articles': 'read-after-create' },
  handlers(fault) {
    interface Article {
      id: string;
      title: string;
    }
    const articles = new Map<string, Article>();
    const published = new Set<string>();
    const deleted = new Map<string, Article>();
    const next = counter('article');
    let feeds = 0;
    const at = (path: Record<string, string>) => found(articles.get(path.articleId ?? ''));
    return {
      createArticle: ({ body }) => {
        const article = { id: next(), ...(body as { title: string }) };
        if (fault !== 'loses articles') {
          articles.set(article.id, article);
        }
        return { status: 201, body: article };
      },
      getArticle: ({ path }) => ({ status: 200, body: at(path) }),
      deleteArticle: ({ path }) => {
        const article = at(path);
        articles.delete(article.id);
        deleted.set(article.id, article);
        return { status: 204 };
      },
      publishArticle: ({ path, body }) => {
        const article = at(path);
        if ((body as { language: string }).language !== 'en') {
          reject(fault === 'fails for other languages' ? 500 : 400);
        }
        published.add(article.id);
        return { status: 200, body: article };
      },
      readPublicArticle: ({ path }) => {
        const { id, title } = at(path);
        return published.has(id) ? { status: 200, body: title } : reject(404);
      },
      setSuccessor: ({ path, body }) => {
        const other = found(articles.get((body as { articleId: string }).articleId));
        return other === at(path) ? reject(409) : { status: 204 };
      },
      restoreArticle: ({ path }) => {
        const article =
          deleted.get(path.articleId ?? '') ?? reject(articles.has(path.articleId ?? '') ? 409 : 404);
        deleted.delete(article.id);
        articles.set(article.id, article);
        return { status: 200, body: article };
      },
      feedArticle: ({ path }) => {
        at(path);
        feeds += 1;
        // Another server fails sometimes, which the contract declares.
        return feeds % 3 === 0 ? { status: 204 } : reject(502);
      },
    };
  },
};
