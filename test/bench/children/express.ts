// Bare Express that serves fixed bodies: the minimum cost of a server on top of it.
import type { AddressInfo } from 'node:net';
import express, { type Response } from 'express';
import { serveParent } from './channel.ts';
import { readExchanges } from './exchanges.ts';

const app = express();
app.disable('x-powered-by').disable('etag');
for (const { method, pathname, status, headers = {}, body } of readExchanges()) {
  const send = (res: Response) => void res.status(status).set(headers).json(body);
  if (method === 'GET') {
    app.get(pathname, (_req, res) => send(res));
  } else {
    app.post(pathname, express.json(), (_req, res) => send(res));
  }
}
const server = app.listen(0, '127.0.0.1', () => {
  // The address of a listening TCP server is never a string or null.
  serveParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
