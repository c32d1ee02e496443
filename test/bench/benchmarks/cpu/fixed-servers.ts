import { isDeepStrictEqual } from 'node:util';
import { operations } from '../../../../generated/operations.ts';
import { readContract } from '../../../../server/platform/kit/contract-document.ts';
import { type Child, type ServerName, startChild } from '../../child.ts';
import { type Exchange, exchangesFor } from '../../children/exchanges.ts';
import { contractFor, selectOperations } from '../../children/small-contract.ts';

/** A server that returns the same bytes as the service, without identity and database. */
export interface FixedServer {
  name: ServerName;
  label: string;
  /** Whether it is another framework, which does not change with this repository. */
  isPeer?: boolean;
  validateResponses?: boolean;
  /** Targets of its CPU compared with bare Express, by operation id. */
  targets?: Readonly<Record<string, string>>;
  /** Target of its memory compared with bare Express. */
  memoryTarget?: string;
  /** Another of these servers that it is compared with, too. */
  comparedWith?: { label: string; target?: string };
}

/** The baseline of all others. */
export const BARE_SERVER: FixedServer = { name: 'express', label: 'bare Express' };

/** The servers that validate requests. */
export const FIXED_SERVERS: readonly FixedServer[] = [
  {
    name: 'contract',
    label: 'the contract alone',
    targets: {
      getSpace: 'at most 1.5x',
      listCollections: 'at most 1.2x',
      createCollection: 'at most 1.5x',
    },
    memoryTarget: 'at most 2x',
  },
  {
    name: 'contract',
    label: 'the contract with checked responses',
    validateResponses: true,
    comparedWith: { label: 'the contract alone', target: 'at most 1.3x' },
  },
  { name: 'fastify', label: 'fastify with schemas', isPeer: true },
  { name: 'hono', label: 'hono with zod', isPeer: true },
  { name: 'validator', label: 'express-openapi-validator', isPeer: true },
  {
    name: 'validator',
    label: 'express-openapi-validator with checked responses',
    isPeer: true,
    validateResponses: true,
  },
];

/** Token of all requests to these servers, which accept any. */
export const FIXED_TOKEN = 'token';

/** Starts a server that serves exchanges, and those that read a contract with one of only these operations. */
export async function startFixed(
  { name, validateResponses = false }: FixedServer,
  exchanges: readonly Exchange[],
): Promise<Child> {
  const contract = selectOperations(
    { document: readContract(), operations },
    exchanges.map(({ operation }) => operation),
  );
  return await startChild(name, {
    ...exchangesFor(exchanges),
    ...contractFor({ ...contract, validateResponses }),
  });
}

/** An invalid request, and the status of its response. */
interface InvalidRequest {
  operation: string;
  status: number;
  query?: string;
  send?: object;
  isAnonymous?: boolean;
}

const INVALID_REQUESTS: readonly InvalidRequest[] = [
  { operation: 'listCollections', status: 401, isAnonymous: true },
  { operation: 'listCollections', status: 400, query: '?limit=1001' },
  { operation: 'createCollection', status: 400, send: { name: 'Unknown property' } },
];

/**
 * Verifies that a server does what is measured: that it serves the exchanges, and rejects invalid requests.
 *
 * @throws Error that states the first difference
 */
export async function checkServer(
  server: Child,
  { label }: FixedServer,
  exchanges: readonly Exchange[],
): Promise<void> {
  for (const { method, target, send, status, body } of exchanges) {
    const response = await request(server, { method, target, send });
    const text = await response.text();
    const isEqual = text.length === JSON.stringify(body).length && isDeepStrictEqual(JSON.parse(text), body);
    if (response.status !== status || !isEqual) {
      throw new Error(`${label}: ${method} ${target} returned ${response.status} ${text}`);
    }
  }
  for (const { operation, status, query = '', send, isAnonymous } of INVALID_REQUESTS) {
    const { method = 'GET', pathname = '' } = exchanges.find((item) => item.operation === operation) ?? {};
    const response = await request(server, { method, target: pathname + query, send, isAnonymous });
    if (response.status !== status) {
      throw new Error(`${label}: an invalid ${operation} returned ${response.status} instead of ${status}.`);
    }
  }
}

interface CheckedRequest extends Pick<Exchange, 'method' | 'target'> {
  send?: object | undefined;
  isAnonymous?: boolean | undefined;
}

async function request(
  { url }: Child,
  { method, target, send, isAnonymous }: CheckedRequest,
): Promise<Response> {
  return await fetch(url + target, {
    method,
    headers: {
      ...(!isAnonymous && { Authorization: `Bearer ${FIXED_TOKEN}` }),
      ...(send && { 'Content-Type': 'application/json' }),
    },
    ...(send && { body: JSON.stringify(send) }),
  });
}
