// Express and the contract's router: the cost of validation and routing without identity and database.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { operations } from '../../../generated/operations.ts';
import { createContractRouter } from '../../../server/contract/router.ts';
import { readContract } from '../../../server/platform/kit/contract-document.ts';
import { serveParent } from './channel.ts';
import { readExchanges } from './exchanges.ts';

const bodies = new Map(readExchanges().map(({ operation, body }) => [operation, body]));
// The bodies are responses of the service to these operations, which the types cannot express.
const handlers = Object.fromEntries(
  Object.keys(operations).map((id) => [id, async () => bodies.get(id)]),
) as never;
const document = readContract();
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
    // The router finds operations by the ids of the document.
    operations: operations as never,
    handlers,
    security,
    validateResponses: false,
  }),
);
const server = createServer(app).listen(0, '127.0.0.1', () => {
  // The address of a listening TCP server is never a string or null.
  serveParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
