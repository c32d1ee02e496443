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

const TYPE = 'application/json; charset=utf-8';

/** JSON with a `charset`, which has no effect (RFC 8259), and reserved characters that are only accepted encoded. */
export const charsets: Habit = {
  document: documentOf(
    {
      '/words': {
        get: {
          operationId: 'findWords',
          parameters: [inQuery('text', { type: 'string', maxLength: 20 }, true)],
          responses: responses(200, { type: 'array', items: ref('Word') }, TYPE),
        },
        post: {
          operationId: 'createWord',
          requestBody: body(closed({ text: { type: 'string', maxLength: 20 } }, ['text']), TYPE),
          responses: responses(201, ref('Word'), TYPE),
        },
      },
      '/words/{wordId}': {
        parameters: [inPath('wordId')],
        get: { operationId: 'getWord', responses: responses(200, ref('Word'), TYPE) },
        delete: { operationId: 'deleteWord', responses: responses(204) },
      },
    },
    { Word: closed({ id: { type: 'string' }, text: { type: 'string', maxLength: 20 } }, ['id', 'text']) },
  ),
  faults: { 'sends text': 'declared-media-type', 'fails for an apostrophe': 'no-server-error' },
  handlers(fault) {
    const words = new Map<string, { id: string; text: string }>();
    const next = counter('word');
    return {
      findWords: ({ query }) => {
        if (fault === 'fails for an apostrophe' && String(query.text).includes("'")) {
          throw new Error('unexpected apostrophe');
        }
        return { status: 200, body: [...words.values()].filter(({ text }) => text === query.text) };
      },
      createWord: ({ body }) => {
        const word = { id: next(), ...(body as { text: string }) };
        words.set(word.id, word);
        return { status: 201, body: word };
      },
      getWord: ({ path }) => ({ status: 200, body: found(words.get(path.wordId ?? '')) }),
      deleteWord: ({ path }) => (words.delete(path.wordId ?? '') ? { status: 204 } : reject(404)),
    };
  },
  before: (fault) => (req, res, next) => {
    if (/[!'()*:/?@$,;]/.test(req.url.split('?').slice(1).join('?'))) {
      res.status(400).json({ error: { code: 400, message: 'Reserved characters must be encoded.' } });
      return;
    }
    const type = fault === 'sends text' ? 'text/plain' : 'application/json';
    const { writeHead } = res;
    // Other servers omit the charset that the contract declares.
    res.writeHead = ((status: number, ...more: never[]) => {
      if (res.getHeader('content-type')) {
        res.setHeader('content-type', type);
      }
      return writeHead.call(res, status, ...more);
    }) as typeof writeHead;
    next();
  },
};
