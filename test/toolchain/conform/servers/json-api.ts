import {
  body,
  closed,
  counter,
  documentOf,
  found,
  type Habit,
  inPath,
  inQuery,
  ref,
  reject,
  responses,
} from '../habit.ts';

interface Article {
  type: 'articles';
  id: string;
  attributes: Record<string, unknown>;
}
const TYPE = 'application/vnd.api+json';
const attributes = closed({ title: { type: 'string', maxLength: 20 }, stars: { type: 'integer' } });
const resource = (members: Record<string, object>, required: string[]) =>
  closed({ data: closed({ type: { const: 'articles' }, attributes, ...members }, required) }, ['data']);
const id = { type: 'string' };

/** JSON:API: an envelope, attributes in an object, an identifier that bodies repeat, and pages by `page[...]`. */
export const jsonApi: Habit = {
  document: documentOf(
    {
      '/articles': {
        get: {
          operationId: 'listArticles',
          parameters: [
            inQuery('page[offset]', { type: 'integer', minimum: 0, maximum: 1000 }),
            inQuery('page[limit]', { type: 'integer', minimum: 1, maximum: 50, default: 20 }),
          ],
          responses: responses(
            200,
            closed({ data: { type: 'array', items: ref('Article') } }, ['data']),
            TYPE,
          ),
        },
        post: {
          operationId: 'createArticle',
          requestBody: body(resource({}, ['type', 'attributes']), TYPE),
          responses: responses(201, closed({ data: ref('Article') }, ['data']), TYPE),
        },
      },
      '/articles/{articleId}': {
        parameters: [inPath('articleId')],
        get: {
          operationId: 'getArticle',
          responses: responses(200, closed({ data: ref('Article') }, ['data']), TYPE),
        },
        patch: {
          operationId: 'updateArticle',
          requestBody: body(resource({ id }, ['type', 'id']), TYPE),
          responses: responses(200, closed({ data: ref('Article') }, ['data']), TYPE),
        },
        delete: { operationId: 'deleteArticle', responses: responses(204) },
      },
    },
    { Article: closed({ type: { const: 'articles' }, id, attributes }, ['type', 'id', 'attributes']) },
  ),
  faults: { 'ignores attributes': 'read-after-update', 'omits the last article': 'pages-complete' },
  handlers(fault) {
    articles.clear();
    const next = counter('article');
    const sent = (value: unknown) => (value as { data: Partial<Article> }).data;
    return {
      // Requests for lists are handled before the router.
      listArticles: () => ({ status: 200, body: { data: [] } }),
      createArticle: ({ body }) => {
        const article: Article = { type: 'articles', id: next(), attributes: sent(body).attributes ?? {} };
        articles.set(article.id, article);
        return { status: 201, body: { data: article } };
      },
      getArticle: ({ path }) => ({ status: 200, body: { data: found(articles.get(path.articleId ?? '')) } }),
      updateArticle: ({ path, body }) => {
        const article = found(articles.get(path.articleId ?? ''));
        const { id, attributes = {} } = sent(body);
        if (id !== article.id) {
          reject(409);
        }
        if (fault !== 'ignores attributes') {
          article.attributes = { ...article.attributes, ...attributes };
        }
        return { status: 200, body: { data: article } };
      },
      deleteArticle: ({ path }) => (articles.delete(path.articleId ?? '') ? { status: 204 } : reject(404)),
    };
  },
  before: (fault) => (req, res, next) => {
    if (req.method !== 'GET' || req.path !== '/articles') {
      return next();
    }
    const query = new URL(req.url, 'http://server').searchParams;
    const names = [...query.keys()];
    const [offset, limit] = [query.get('page[offset]') ?? '0', query.get('page[limit]') ?? '20'];
    const isValid =
      names.every((name) => name === 'page[offset]' || name === 'page[limit]') &&
      new Set(names).size === names.length &&
      !/%(?![0-9a-f]{2})/i.test(req.url) &&
      /^\d{1,4}$/.test(offset) &&
      Number(offset) <= 1000 &&
      /^[1-9]\d?$/.test(limit) &&
      Number(limit) <= 50;
    const all = [...articles.values()].slice(0, fault === 'omits the last article' ? -1 : undefined);
    const page = all.slice(Number(offset), Number(offset) + Number(limit));
    res
      .status(isValid ? 200 : 400)
      .type(isValid ? TYPE : 'application/json')
      .send(JSON.stringify(isValid ? { data: page } : { error: 'Invalid page.' }));
  },
};

const articles = new Map<string, Article>();
