// Express and the contract's router: the cost of validation and routing without identity and database.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createContractRouter } from '../../../server/contract/router.ts';
import { serveParent } from './channel.ts';
import { readExchanges } from './exchanges.ts';
import { readSmallContract } from './small-contract.ts';

const { document, operations, validateResponses } = readSmallContract();
const exchanges = readExchanges();
const headers = new Map(exchanges.map(({ operation, headers = {} }) => [operation, headers]));
// The bodies are responses of the service to these operations, which the types cannot express.
const handlers = Object.fromEntries(
  exchanges.map(({ operation, body }) => [operation, async () => body]),
) as never;
// Every scheme of the contract accepts any token.
const security = Object.fromEntries(
  Object.keys(document.components?.securitySchemes ?? {}).map((scheme) => [
    scheme,
    { bearer: async () => ({}) },
  ]),
);
const app = express();
app.disable('x-powered-by').disable('etag');
app.enable('strict routing').enable('case sensitive routing');
app.use(
  createContractRouter<Record<string, unknown>, typeof operations, object, Record<string, object>>({
    document,
    operations,
    handlers,
    security,
    validateResponses,
    headersOf: (operationId) => headers.get(operationId) ?? {},
  }),
);
const server = createServer(app).listen(0, '127.0.0.1', () => {
  // The address of a listening TCP server is never a string or null.
  serveParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
