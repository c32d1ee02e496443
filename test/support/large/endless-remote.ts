import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createDeflate, createGzip } from 'node:zlib';

/*
 * Responses of Git servers that never end (gitprotocol-http, gitprotocol-v2, gitformat-pack).
 */

const OID = '1'.repeat(40);
const FLUSH = '0000';
const CHUNK_LINES = 10_000;
const MAX_PACKET_BYTES = 65_000;

/** Serves a repository without end. */
export type EndlessRemote = (request: IncomingMessage, response: ServerResponse) => void;

const packet = (content: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, '0')), Buffer.from(content)]);

const packets = (...lines: string[]): Buffer =>
  Buffer.concat(lines.map((line) => (line === FLUSH ? Buffer.from(line) : packet(line))));

/** Repeats lines without end, after others. The same lines: creating others would take longer than reading them. */
function* repeated(start: Buffer, line: (at: number) => string): Generator<Buffer> {
  yield start;
  const chunk = packets(...Array.from({ length: CHUNK_LINES }, (_, at) => line(at)));
  for (;;) {
    yield chunk;
  }
}

function send(response: ServerResponse, type: string, parts: Iterable<Buffer>, isCompressed = false): void {
  const source = Readable.from(parts, { objectMode: false });
  response.setHeader('Content-Type', `application/x-git-upload-pack-${type}`);
  response.on('error', () => {}).on('close', () => source.destroy());
  source.on('error', () => {});
  if (isCompressed) {
    response.setHeader('Content-Encoding', 'gzip');
    source.pipe(createGzip({ level: 1 }).on('error', () => {})).pipe(response);
  } else {
    source.pipe(response);
  }
}

const SERVICE = packets('# service=git-upload-pack\n', FLUSH);

/** Lists refs without end, in version 0 of the protocol. */
export const endlessAdvertisement =
  ({ isCompressed = false } = {}): EndlessRemote =>
  (_request, response) => {
    const first = packets(`${OID} refs/heads/main\0 side-band-64k ofs-delta shallow\n`);
    const refs = repeated(Buffer.concat([SERVICE, first]), (at) => `${OID} refs/heads/branch-${at}\n`);
    send(response, 'advertisement', refs, isCompressed);
  };

/** Responds to commands of version 2 of the protocol. */
const commands =
  (respond: (command: string, response: ServerResponse) => void): EndlessRemote =>
  (request, response) => {
    if (request.method === 'GET') {
      const capabilities = packets('version 2\n', 'ls-refs\n', 'fetch=shallow\n', FLUSH);
      send(response, 'advertisement', [Buffer.concat([SERVICE, capabilities])]);
      return;
    }
    let body = '';
    request.setEncoding('latin1').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => respond(body.includes('command=ls-refs') ? 'ls-refs' : 'fetch', response));
  };

const MAIN = `${OID} refs/heads/main\n`;
const listMain = (response: ServerResponse) => send(response, 'result', [packets(MAIN, FLUSH)]);

/** Announces capabilities without end. */
export const endlessCapabilities: EndlessRemote = (_request, response) => {
  const start = Buffer.concat([SERVICE, packets('version 2\n')]);
  send(
    response,
    'advertisement',
    repeated(start, (at) => `capability-${at}=${'x'.repeat(900)}\n`),
  );
};

/** Lists refs without end, in version 2 of the protocol. */
export const endlessRefs: EndlessRemote = commands((_command, response) => {
  send(
    response,
    'result',
    repeated(packets(MAIN), (at) => `${OID} refs/heads/branch-${at}\n`),
  );
});

/** Lists the commits without parents of a shallow repository without end. */
export const endlessShallows: EndlessRemote = commands((command, response) => {
  if (command === 'ls-refs') {
    listMain(response);
    return;
  }
  const oids = (at: number) => at.toString(16).padStart(40, '0');
  send(
    response,
    'result',
    repeated(packets('shallow-info\n'), (at) => `shallow ${oids(at)}\n`),
  );
});

/** Types of objects (gitformat-pack). */
export const OBJECT_TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;

/** Sends a pack with an object that expands to many times the size of the pack. */
export const expandingPack = (type: keyof typeof OBJECT_TYPES): EndlessRemote =>
  commands((command, response) => {
    if (command === 'ls-refs') {
      listMain(response);
      return;
    }
    response.setHeader('Content-Type', 'application/x-git-upload-pack-result');
    response.on('error', () => {});
    response.write(packet('packfile\n'));
    const sendPart = (part: Buffer) => response.write(packet(Buffer.concat([Buffer.from([1]), part])));
    sendPart(Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1'), objectHeader(type, 2 ** 34)]));
    const zeros = Readable.from(
      (function* () {
        const chunk = Buffer.alloc(1_000_000);
        for (;;) {
          yield chunk;
        }
      })(),
      { objectMode: false },
    );
    const packed = zeros.pipe(createDeflate({ level: 1 }));
    packed.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += MAX_PACKET_BYTES) {
        sendPart(chunk.subarray(at, at + MAX_PACKET_BYTES));
      }
    });
    response.on('close', () => {
      zeros.destroy();
      packed.destroy();
    });
  });

/** Encodes the type of an object and its size: four bits, and then seven in each byte. */
function objectHeader(type: keyof typeof OBJECT_TYPES, size: number): Buffer {
  const bytes = [(OBJECT_TYPES[type] << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes.map((byte, at) => (at < bytes.length - 1 ? byte | 0x80 : byte)));
}
