import { content, documentOf, type Habit, inPath, responses } from '../habit.ts';

/** Streams that have no event for a long time, or never end. */
export const streams: Habit = {
  document: documentOf({
    '/events': {
      get: {
        operationId: 'streamEvents',
        responses: responses(
          200,
          { type: 'object', properties: { text: { type: 'string' } } },
          'text/event-stream',
        ),
      },
    },
    '/logs/{name}': {
      parameters: [inPath('name')],
      get: {
        operationId: 'followLog',
        responses: responses(200, { type: 'object' }, 'application/x-ndjson'),
      },
    },
    '/recording': {
      get: {
        operationId: 'getRecording',
        responses: {
          default: { description: 'Error', content: { 'application/json': {} } },
          200: {
            description: 'Bytes',
            ...content({ type: 'string', format: 'binary' }, 'application/octet-stream'),
          },
        },
      },
    },
    '/status': {
      get: { operationId: 'getStatus', responses: responses(200, { type: 'object' }) },
    },
  }),
  faults: {
    'sends no headers': 'no-server-error',
    'sends events as JSON': 'declared-media-type',
    'never completes JSON': 'no-server-error',
  },
  handlers: () => ({
    // The requests to streams are handled before the router.
    streamEvents: () => ({ status: 200, body: lines() }),
    followLog: async () => ({ status: 200, body: lines() }),
    getRecording: () => ({ status: 200, body: Buffer.from('bytes') }),
    getStatus: () => ({ status: 200, body: {} }),
  }),
  before: (fault) => (req, res, next) => {
    const type = typeOf(req.path, fault);
    // The router rejects invalid requests.
    if (type === undefined || req.method !== 'GET' || req.url.includes('?')) {
      return next();
    }
    if (fault === 'sends no headers' && req.path === '/events') {
      return;
    }
    res.writeHead(200, { 'content-type': type });
    if (fault === 'sends events as JSON' && type === 'application/json') {
      res.end('{}');
      return;
    }
    res.flushHeaders();
    if (type === 'application/x-ndjson') {
      res.write('{"line":1}\n');
    }
  },
};

async function* lines() {
  yield { data: 1 };
}

function typeOf(path: string, fault: string | undefined): string | undefined {
  if (path === '/events') {
    return fault === 'sends events as JSON' ? 'application/json' : 'text/event-stream';
  }
  if (path === '/recording') {
    return 'application/octet-stream';
  }
  if (/^\/logs\/[\w-]+$/.test(path)) {
    return 'application/x-ndjson';
  }
  return path === '/status' && fault === 'never completes JSON' ? 'application/json' : undefined;
}
