import { createServer, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  FREE_INFLATION_BYTES,
  MAX_INFLATION_RATIO,
} from '../../../server/contract/limits/inflation-ratio.ts';
import { type AllowedRanges, parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import { OutgoingError } from '../../../server/outgoing/errors.ts';
import { Fetcher, type FetchLimits } from '../../../server/outgoing/fetch.ts';

const loopback = parseAllowedRanges('127.0.0.0/8');
const noRanges = parseAllowedRanges('');
const limits = { maxBytes: 100_000, timeout: 5_000 };

const requests: { url: string; headers: Record<string, unknown> }[] = [];
let server: Server;
let other: Server;
let base: string;
let port: number;

const responses: Record<string, RequestListener> = {
  '/text': (_request, response) => {
    response.setHeader('Content-Type', 'Text/HTML; Charset="ISO-8859-1"');
    response.end(Buffer.from('h\u00e9llo', 'latin1'));
  },
  '/zipped': (_request, response) => {
    response.setHeader('Content-Encoding', 'gzip');
    response.end(gzipSync('unpacked'));
  },
  '/bomb': (_request, response) => {
    response.setHeader('Content-Encoding', 'gzip');
    response.end(gzipSync(Buffer.alloc(50_000_000)));
  },
  '/swelling': (_request, response) => {
    response.setHeader('Content-Encoding', 'gzip');
    response.end(gzipSync(Buffer.alloc(2 * FREE_INFLATION_BYTES)));
  },
  '/repetitive': (_request, response) => {
    response.setHeader('Content-Encoding', 'gzip');
    response.end(gzipSync(Buffer.alloc(FREE_INFLATION_BYTES)));
  },
  '/broken': (_request, response) => {
    response.setHeader('Content-Encoding', 'gzip');
    response.end('not gzip at all');
  },
  '/odd': (_request, response) => {
    response.setHeader('Content-Encoding', 'zstd');
    response.end('whatever');
  },
  '/endless': (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384))) {}
    };
    response.on('drain', more);
    more();
  },
  '/slow': (_request, response) => {
    response.write('a beginning');
  },
  '/silent': () => undefined,
  '/round': (_request, response) => response.writeHead(302, { Location: '/round' }).end(),
  '/moved': (_request, response) => response.writeHead(301, { Location: 'text' }).end(),
  '/cookie': (_request, response) =>
    response.writeHead(302, { Location: '/text', 'Set-Cookie': 'session=1' }).end(),
  '/to-private': (_request, response) => response.writeHead(302, { Location: 'http://10.0.0.1/' }).end(),
  '/to-file': (_request, response) => response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
  '/to-login': (_request, response) =>
    response.writeHead(302, { Location: `http://me:secret@127.0.0.1:${port}/text` }).end(),
  '/gone': (_request, response) => response.writeHead(410).end('gone'),
};

const listen = (listener: RequestListener): Promise<Server> =>
  new Promise((resolve) => {
    const started = createServer(listener).listen(0, '127.0.0.1', () => resolve(started));
  });

const portOf = (item: Server): number => {
  const address = item.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

beforeAll(async () => {
  const listener: RequestListener = (request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    const reply = responses[request.url ?? ''];
    if (reply) {
      reply(request, response);
    } else {
      response.writeHead(404).end();
    }
  };
  [server, other] = await Promise.all([listen(listener), listen(listener)]);
  port = portOf(server);
  base = `http://127.0.0.1:${port}`;
});

afterAll(() => {
  for (const item of [server, other]) {
    item.closeAllConnections();
    item.close();
  }
});

async function get(
  address: string,
  options: Partial<FetchLimits> = {},
  { allow = loopback, lookup }: { allow?: AllowedRanges; lookup?: (host: string) => Promise<string[]> } = {},
) {
  await using fetcher = new Fetcher(allow, lookup);
  return await fetcher.fetch(address, { ...limits, ...options });
}

async function failure(...call: Parameters<typeof get>): Promise<OutgoingError> {
  const error = await get(...call).then(
    ({ status }) => new Error(`returned ${status}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof OutgoingError)) {
    throw error;
  }
  return error;
}

describe('fetching by HTTP', () => {
  test('returns the final URL, the status, the type and the bytes', async () => {
    const response = await get(`${base}/text`);
    expect(response).toMatchObject({ status: 200, contentType: 'text/html', charset: 'ISO-8859-1' });
    expect(response.url.href).toBe(`${base}/text`);
    expect(Buffer.from(response.body).toString('latin1')).toBe('h\u00e9llo');
  });

  test('returns the status of an error response', async () => {
    expect(await get(`${base}/gone`)).toMatchObject({ status: 410 });
  });

  test('decompresses responses', async () => {
    expect(Buffer.from((await get(`${base}/zipped`)).body).toString()).toBe('unpacked');
  });

  test('reports an unsupported encoding', async () => {
    expect(await failure(`${base}/broken`)).toMatchObject({ code: 'failed' });
    expect(await failure(`${base}/odd`)).toMatchObject({ code: 'failed' });
  });

  test('reports that no server responds, with its address only in the log', async () => {
    const unused = await listen(() => undefined);
    const closed = portOf(unused);
    await new Promise((resolve) => unused.close(resolve));
    const lookup = async () => ['127.0.0.1'];
    const error = await failure(`http://docs.example:${closed}/`, {}, { lookup });
    expect(error).toMatchObject({ code: 'unreachable', transient: true });
    expect(error.message).toContain('Check that the URL is correct');
    expect(error.message).not.toMatch(/127\.0\.0\.1|ECONN/);
    expect(error.cause).toMatchObject({ message: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('the targets of a fetch', () => {
  test.each([
    ['no address', 'invalid-url'],
    ['ftp://example.com/', 'refused-protocol'],
    ['file:///etc/passwd', 'refused-protocol'],
    ['javascript:alert(1)', 'refused-protocol'],
  ])('never include %s', async (address, code) => {
    expect(await failure(address)).toMatchObject({ code });
  });

  test('include only public and allowed addresses', async () => {
    for (const address of [`${base}/text`, 'http://10.0.0.1/', 'http://[::1]/', 'http://2130706433/']) {
      expect(await failure(address, {}, { allow: noRanges })).toMatchObject({ code: 'refused-address' });
    }
  });

  test('include no URL with credentials, which the message omits', async () => {
    const error = await failure('http://me:secret@127.0.0.1/');
    expect(error).toMatchObject({ code: 'invalid-url' });
    expect(error.message).not.toContain('secret');
  });

  test('include redirects, without the cookies that they set', async () => {
    expect((await get(`${base}/moved`)).url.href).toBe(`${base}/text`);
    requests.length = 0;
    await get(`${base}/cookie`);
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests)).not.toContain('session');
  });

  test('include no redirect loops', async () => {
    requests.length = 0;
    expect(await failure(`${base}/round`)).toMatchObject({ code: 'refused-redirect' });
    expect(requests).toHaveLength(6);
  });

  test.each([
    ['/to-private', 'refused-address'],
    ['/to-file', 'refused-protocol'],
    ['/to-login', 'invalid-url'],
  ])('include no redirect to %s', async (path, code) => {
    expect(await failure(`${base}${path}`)).toMatchObject({ code });
  });

  test('include no redirects if the caller disables them', async () => {
    const onRedirect = () => {
      throw new OutgoingError('refused-redirect', 'not there');
    };
    expect(await failure(`${base}/moved`, { onRedirect })).toMatchObject({ message: 'not there' });
  });

  test('are checked addresses, regardless of later resolutions', async () => {
    const resolutions = [['127.0.0.1'], ['10.0.0.1']];
    const requested: string[] = [];
    const lookup = async (host: string) => {
      requested.push(host);
      return resolutions[requested.length - 1] ?? ['10.0.0.1'];
    };
    await using fetcher = new Fetcher(loopback, lookup);
    const [first, second] = [`http://docs.example:${port}/text`, `http://docs.example:${portOf(other)}/text`];
    expect(await fetcher.fetch(first, limits)).toMatchObject({ status: 200 });
    expect(requested).toEqual(['docs.example']);
    // A new connection with another resolution, which is checked again.
    await expect(fetcher.fetch(second, limits)).rejects.toMatchObject({ code: 'unresolved' });
    expect(requested).toHaveLength(2);
  });

  test('include no host with any rejected address', async () => {
    const lookup = async () => ['127.0.0.1', '10.0.0.1'];
    expect(await failure(`http://docs.example:${port}/text`, {}, { lookup })).toMatchObject({
      code: 'unresolved',
    });
  });

  test('include no host without an address', async () => {
    const lookup = async () => [];
    expect(await failure('http://docs.example/', {}, { lookup })).toMatchObject({ code: 'unresolved' });
  });
});

describe('the limits of a fetch', () => {
  test('allow a body up to the maximum size, and no longer one', async () => {
    expect(await failure(`${base}/endless`)).toMatchObject({ code: 'too-large' });
    expect(await failure(`${base}/text`, { maxBytes: 4 })).toMatchObject({ code: 'too-large' });
    expect((await get(`${base}/text`, { maxBytes: 5 })).body).toHaveLength(5);
  });

  test('end a body that decompresses beyond the limit', async () => {
    expect(await failure(`${base}/bomb`)).toMatchObject({ code: 'too-large' });
  });

  test('end a body whose compression ratio is too high, unless it is small', async () => {
    const options = { maxBytes: 100_000_000 };
    expect(await failure(`${base}/swelling`, options)).toMatchObject({
      code: 'too-large',
      message: expect.stringContaining(`compression ratio of ${MAX_INFLATION_RATIO}`),
    });
    expect((await get(`${base}/repetitive`, options)).body).toHaveLength(FREE_INFLATION_BYTES);
  });

  test('end the whole fetch at its deadline', async () => {
    for (const path of ['/slow', '/silent']) {
      const error = await failure(`${base}${path}`, { timeout: 100 });
      expect(error).toMatchObject({ code: 'timeout' });
      expect(error.message).toContain('0.1 seconds');
    }
  });

  test('end it when its caller aborts', async () => {
    const controller = new AbortController();
    const call = failure(`${base}/slow`, { signal: controller.signal });
    controller.abort();
    expect(await call).toMatchObject({ code: 'aborted' });
  });
});
