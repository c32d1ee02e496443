import { createServer } from 'node:http';

// A server of items in memory that stops for some of them. Run it as `node server-stopping.ts PORT MODE`.

const [port, mode] = process.argv.slice(2);
const items = new Map<string, unknown>();
let count = 0;

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const send = (status: number, value?: unknown) => {
    response.writeHead(status, value === undefined ? {} : { 'content-type': 'application/json' });
    response.end(value === undefined ? undefined : JSON.stringify(value));
  };
  const [, collection, id] = (request.url ?? '/').split('?')[0]?.split('/') ?? [];
  if (collection === 'status') {
    return send(200, { up: 'yes' });
  }
  if (collection !== 'items') {
    return send(404, {});
  }
  if (id !== undefined) {
    const item = items.get(id);
    if (request.method === 'DELETE') {
      return items.delete(id) ? send(204) : send(404, {});
    }
    return item === undefined ? send(404, {}) : send(200, item);
  }
  if (request.method === 'GET') {
    return send(200, [...items.values()]);
  }
  let body: { title?: unknown };
  try {
    body = JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return send(400, {});
  }
  if (typeof body?.title !== 'string' || [...body.title].length > 30) {
    return send(400, {});
  }
  if (body.title.length > 10) {
    return stop(() => create(body));
  }
  return create(body);

  function create(fields: object): void {
    count += 1;
    const item = { ...fields, id: String(count) };
    items.set(item.id, item);
    send(201, item);
  }
});
server.listen(Number(port), '127.0.0.1');

function stop(respond: () => void): void {
  if (mode === 'hangs') {
    // Blocks all other requests, without using the processor.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  if (mode === 'exits after the response') {
    respond();
    setTimeout(() => process.exit(1), 10);
    return;
  }
  process.exit(1);
}
