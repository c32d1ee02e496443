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

const id = { type: 'string' };
const entry = closed({ type: { type: 'string', enum: ['column', 'card'] }, id }, ['type', 'id']);
const path = { type: 'string', pattern: '^[a-z0-9/]+$', maxLength: 30 };

const created = (noun: string, schema: object) => ({
  parameters: [inPath('boardId')],
  post: {
    operationId: `create ${noun}`,
    requestBody: body(schema),
    responses: responses(201, ref(noun)),
  },
});

/** Boards with operations that succeed only in a certain state, or for certain combinations of resources. */
export const boards: Habit = {
  document: documentOf(
    {
      '/boards': {
        get: {
          operationId: 'listBoards',
          responses: responses(200, closed({ items: { type: 'array', items: ref('board') } }, ['items'])),
        },
        post: {
          operationId: 'create board',
          requestBody: body(closed({})),
          responses: responses(201, ref('board')),
        },
      },
      '/boards/{boardId}': {
        parameters: [inPath('boardId')],
        get: { operationId: 'get board', responses: responses(200, ref('board')) },
        delete: { operationId: 'delete board', responses: responses(204) },
      },
      // Only the board that the service created has statistics.
      '/boards/{boardId}/statistics': {
        parameters: [inPath('boardId')],
        get: {
          operationId: 'get statistics',
          responses: responses(200, closed({ cards: { type: 'integer' } })),
        },
      },
      '/boards/{boardId}/columns': created('column', closed({})),
      '/boards/{boardId}/cards': {
        ...created('card', closed({ path }, ['path'])),
        get: {
          operationId: 'listCards',
          responses: responses(200, closed({ items: { type: 'array', items: ref('card') } }, ['items'])),
        },
      },
      '/boards/{boardId}/cards/{cardId}': {
        parameters: [inPath('boardId'), inPath('cardId')],
        get: { operationId: 'get card', responses: responses(200, ref('card')) },
      },
      '/boards/{boardId}/path/{cardPath}': {
        parameters: [inPath('boardId'), inPath('cardPath', path)],
        get: { operationId: 'get card by path', responses: responses(200, ref('card')) },
      },
      // The last entry of a kind cannot be moved to the end.
      '/boards/{boardId}/sort': {
        parameters: [inPath('boardId')],
        post: {
          operationId: 'sort board',
          requestBody: body(closed({ item: entry }, ['item'])),
          responses: responses(204),
        },
      },
    },
    {
      board: closed({ id }, ['id']),
      column: closed({ id }, ['id']),
      card: closed({ id, path }, ['id', 'path']),
    },
  ),
  faults: { 'loses cards': 'read-after-create' },
  handlers(fault) {
    const next = counter('id');
    const all = new Map<string, Board>([['main', { columns: [], cards: [] }]]);
    const boardOf = ({ boardId = '' }: Record<string, string>) => found(all.get(boardId));
    return {
      listBoards: () => ({ status: 200, body: { items: [...all.keys()].map((id) => ({ id })) } }),
      'create board': () => {
        const board = { id: next() };
        all.set(board.id, { columns: [], cards: [] });
        return { status: 201, body: board };
      },
      'get board': ({ path }) => boardOf(path) && { status: 200, body: { id: path.boardId } },
      'delete board': ({ path }) => (all.delete(path.boardId ?? '') ? { status: 204 } : reject(404)),
      'get statistics': ({ path }) =>
        path.boardId === 'main' ? { status: 200, body: { cards: 0 } } : boardOf(path) && reject(403),
      'create column': ({ path }) => {
        const column = { id: next() };
        boardOf(path).columns.push(column);
        return { status: 201, body: column };
      },
      'create card': ({ path, body }) => {
        const card = { id: next(), ...(body as { path: string }) };
        if (boardOf(path).cards.some((other) => other.path === card.path)) {
          return reject(409);
        }
        if (fault !== 'loses cards') {
          boardOf(path).cards.push(card);
        }
        return { status: 201, body: card };
      },
      listCards: ({ path }) => ({ status: 200, body: { items: boardOf(path).cards } }),
      'get card': ({ path }) => ({
        status: 200,
        body: found(boardOf(path).cards.find(({ id }) => id === path.cardId)),
      }),
      'get card by path': ({ path }) => ({
        status: 200,
        body: found(boardOf(path).cards.find((card) => card.path === path.cardPath)),
      }),
      'sort board': ({ path, body }) => {
        const { item } = body as { item: { type: 'column' | 'card'; id: string } };
        const entries = boardOf(path)[item.type === 'card' ? 'cards' : 'columns'];
        const at = entries.findIndex(({ id }) => id === item.id);
        if (at === -1) {
          return reject(404);
        }
        if (at === entries.length - 1) {
          return reject(409);
        }
        entries.push(...(entries.splice(at, 1) as never[]));
        return { status: 204 };
      },
    };
  },
};

interface Board {
  columns: { id: string }[];
  cards: { id: string; path: string }[];
}
