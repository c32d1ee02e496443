// Express with the middleware of express-openapi-validator, as its README shows. It checks that a bearer token is sent.
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { serveParent } from './channel.ts';
import { readExchanges, routeOf } from './exchanges.ts';
import { readSmallContract } from './small-contract.ts';

const { document, operations, validateResponses } = readSmallContract();
const app = express();
app.disable('x-powered-by').disable('etag');
app.use(express.json());
app.use(
  OpenApiValidator.middleware({
    // The middleware has a type of its own for documents.
    apiSpec: document as never,
    validateRequests: true,
    validateResponses,
  }),
);
for (const { operation, method, status, headers = {}, body } of readExchanges()) {
  const route = app.route(routeOf(operations[operation]?.path ?? ''));
  route[method === 'GET' ? 'get' : 'post']((_req, res) => void res.status(status).set(headers).json(body));
}
const sendError: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ message: error.message, errors: error.errors });
};
app.use(sendError);
const server = app.listen(0, '127.0.0.1', () => {
  // The address of a listening TCP server is never a string or null.
  serveParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
