import { connect } from 'node:net';
import { operations } from '../../generated/operations.ts';
import { MAX_PIPELINED_REQUESTS } from '../../server/contract/listener.ts';
import {
  type Attack,
  type AttackClass,
  type AttackResponse,
  fill,
  OPERATION_IDS,
  type Target,
  victimIds,
} from './target.ts';

/** Notations of a path that a router and a guard could read differently. */
const MALFORMED_PATHS: Readonly<Record<string, (path: string) => string>> = {
  'a slash at the end': (path) => `${path}/`,
  'two slashes': (path) => `/${path}`,
  'slashes within': (path) => path.replaceAll('/', '//'),
  'a dot segment': (path) => path.replace('/v1/', '/v1/./'),
  'a way up': (path) => path.replace('/v1/', '/docs/../v1/'),
  'an encoded way up': (path) => path.replace('/v1/', '/docs/%2e%2e/v1/'),
  'encoded slashes': (path) => path.replaceAll('/', '%2f').replace('%2f', '/'),
  'double encoding': (path) => path.replaceAll('/', '%252f').replace('%252f', '/'),
  'other case': (path) => path.replace('/v1/', '/V1/'),
  'the absolute form': (path) => `http://localhost${path}`,
  'the absolute form of another host': (path) => `http://evil.example${path}`,
  'another scheme': (path) => `ftp://localhost${path}`,
  'a fragment': (path) => `${path}#x`,
  'a path parameter': (path) => `${path};a=b`,
  'a backslash': (path) => path.replaceAll('/', '\\'),
  'an encoded NUL': (path) => `${path}%00`,
  'a question mark within': (path) => path.replace('/v1/', '/healthz?/v1/'),
  'overlong UTF-8': (path) => path.replace('/v1/', '/%c0%af/v1/'),
  'an empty path': () => '*',
};

/** Headers that some servers interpret as another path, method, caller or length. */
const MALFORMED_HEADERS: Readonly<Record<string, readonly string[]>> = {
  'another method': ['X-HTTP-Method-Override: GET', 'X-Method-Override: GET'],
  'another path': ['X-Original-URL: /healthz', 'X-Rewrite-URL: /healthz'],
  'a trusted address': ['X-Forwarded-For: 127.0.0.1', 'Forwarded: for=127.0.0.1', 'X-Real-IP: 127.0.0.1'],
  'a token of another scheme': ['Authorization: Basic YWRtaW46YWRtaW4='],
  'an empty token': ['Authorization: Bearer '],
  'two tokens': ['Authorization: Bearer colophon_a', 'Authorization: Bearer colophon_b'],
  'a token in a cookie': ['Cookie: token=colophon_a; authorization=Bearer colophon_a'],
  'no length and a body': ['Transfer-Encoding: chunked, identity'],
  'two lengths': ['Content-Length: 0', 'Content-Length: 5'],
  'a length and chunks': ['Content-Length: 4', 'Transfer-Encoding: chunked'],
  'a folded header': ['X-Note: a', ' b'],
  'a line feed alone': ['X-Note: a\nAuthorization: Bearer colophon_a'],
  'a space before the colon': ['Authorization : Bearer colophon_a'],
  'a prototype': ['__proto__: x', 'constructor: x'],
  'many headers': Array.from({ length: 3000 }, (_, at) => `X-${at}: a`),
  'a long header': [`X-Note: ${'a'.repeat(200_000)}`],
  'an upgrade': ['Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
  'an expectation': ['Expect: 100-continue', 'Content-Length: 10'],
};

const METHODS = ['TRACE', 'CONNECT', 'PROPFIND', 'get', 'GET\t', 'HEAD', 'OPTIONS'];

/** Requests for the victim's resources without a token, in notations that could bypass the guard. */
export const malformedRequests: AttackClass = {
  name: 'malformed targets and headers, without a token',
  async attacks(target, rounds) {
    const secured = OPERATION_IDS.filter((id) => operations[id].path.includes('{'));
    // Each attack on some operations, and each operation with some attacks; all combinations after enough rounds.
    const attacks: Attack[] = [];
    const paths = Object.entries(MALFORMED_PATHS);
    const headers = Object.entries(MALFORMED_HEADERS);
    for (const [at, id] of secured.entries()) {
      const { method, path } = operations[id];
      const address = fill(path, await target.victim.pathValues(path));
      for (let round = 0; round < rounds; round++) {
        const [pathName, write] = paths[(at + round) % paths.length] ?? [];
        const [headerName, lines] = headers[(at + round) % headers.length] ?? [];
        const name = METHODS[(at + round) % METHODS.length] ?? '';
        if (pathName === undefined || headerName === undefined || !write || !lines) {
          continue;
        }
        attacks.push(
          raw(target, `${id}: ${pathName}`, [`${method.toUpperCase()} ${write(address)} HTTP/1.1`]),
          raw(target, `${id}: ${headerName}`, [`${method.toUpperCase()} ${address} HTTP/1.1`, ...lines]),
          raw(target, `${id}: ${name}`, [`${name} ${address} HTTP/1.1`]),
        );
      }
    }
    attacks.push(flood(target));
    const ids = await victimIds(target);
    return attacks.map((attack) => ({
      ...attack,
      send: async () => ({ mustFail: false, ...(await attack.send()), sent: ids }),
    }));
  },
};

/** Requests a large response a thousand times concurrently, which must not all be built. */
function flood(target: Target): Attack {
  const once = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
  const { name, send } = raw(target, 'a thousand requests at once', [`${once.repeat(1000)}GET / HTTP/1.1`]);
  return {
    name,
    send: async () => {
      const { status, text } = await send();
      const responses = text.split('HTTP/1.1 200').length - 1;
      return { status, text: '', mustFail: responses > 1 + MAX_PIPELINED_REQUESTS };
    },
  };
}

/** Sends lines unchanged, and reads until the server closes or the first response is complete. */
function raw({ server }: Target, name: string, lines: readonly string[]): Attack {
  const { hostname, port } = new URL(server.url);
  const send = () =>
    new Promise<AttackResponse>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket
        .setEncoding('latin1')
        .setTimeout(20_000, () => socket.destroy(new Error(`${name}: no response`)));
      socket.on('data', (chunk: string) => {
        text += chunk;
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        // The server may disconnect invalid HTTP while it is still being sent.
        if (error.code === 'ECONNRESET' || error.code === 'EPIPE') {
          resolve(readResponse(text));
        } else {
          reject(error);
        }
      });
      socket.on('close', () => resolve(readResponse(text)));
      socket.end(`${lines.join('\r\n')}\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`, 'latin1');
    });
  return { name, send };
}

function readResponse(text: string): AttackResponse {
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 400), text };
}
