import { randomBytes } from 'node:crypto';
import { operations } from '../../generated/operations.ts';
import { createContentThreads } from '../content/threads/threads.ts';
import { hostAndPort } from '../contract/request/address.ts';
import type { Database, Queries } from '../database/database.ts';
import { createId } from '../database/seams.ts';
import { type Caller, callerIdOf } from '../identity/caller.ts';
import { findAdmin } from '../identity/membership.ts';
import { createQueue } from '../jobs/queue.ts';
import { createRequestSlots } from '../platform/kit/slots.ts';
import type { ResourceReader } from '../platform/transfers/export/export.ts';
import type { Config } from './config.ts';
import { handlers } from './handlers.ts';
import { createLog } from './log.ts';
import type { AnyHandlers } from './replay-check.ts';
import { contextCreator } from './request-context.ts';
import { closeServices, createServices, outgoingFolders } from './services.ts';

/**
 * Opens a reader of an organization's resources, which calls the handlers as for an admin of the organization. Signatures
 * in URLs are those of no server.
 *
 * @param database is only read, and closed with the reader
 * @throws Error if the organization has no enabled admin
 */
export async function openResourceReader(
  config: Config,
  database: Database,
  organization: string,
): Promise<ResourceReader> {
  const caller = await adminOf(database.query, organization);
  const log = createLog(config);
  const clock = () => new Date();
  const services = createServices(config, {
    database,
    clock,
    createId,
    queue: createQueue({ database, clock, createId, log }),
    threads: createContentThreads(),
    secretKey: randomBytes(32).toString('hex'),
    log,
    publicUrl: config.publicUrl ?? `http://${hostAndPort(config.host, config.port)}`,
    folder: outgoingFolders(config.dataFolder).folder,
  });
  const createContext = contextCreator({
    ...services,
    publishedPages: { search: forVisitors, findRedirect: forVisitors },
    slots: createRequestSlots(),
  });
  // Keyed by the operation IDs of the contract. Each handler accepts what its operation describes.
  const byOperation = handlers as unknown as AnyHandlers;
  return {
    read: async (operationId, path, query) => {
      const context = createContext({
        operationId,
        requestId: '',
        address: '',
        signal: new AbortController().signal,
        principals: { AccessToken: caller },
      });
      const request = {
        path,
        query: { ...operations[operationId].defaults, ...query },
        headers: {},
        cookies: {},
      };
      const handle = byOperation[operationId];
      if (!handle) {
        throw new Error(`${operationId} has no handler.`);
      }
      return await handle(request, context);
    },
    close: () => closeServices(services),
  };
}

async function forVisitors(): Promise<never> {
  throw new Error('Only the operations for users are called without a server.');
}

/** Returns an admin of an organization as a caller, with an access token that is not limited. */
async function adminOf(queries: Queries, organization: string): Promise<Caller> {
  const user = await findAdmin(queries, organization);
  if (!user) {
    throw new Error(
      `The organization ${organization} has no enabled admin, as whom its resources are read. Enable one.`,
    );
  }
  return {
    id: callerIdOf(user.id),
    user,
    token: { id: '', scopes: null, expiresAt: null, lastUsedAt: null },
    installation: undefined,
    integration: undefined,
  };
}
