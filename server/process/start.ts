import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { createApp } from '../app/app.ts';
import { type Config, databaseLocation } from '../app/config.ts';
import { requireSecretKey } from '../app/secret-keys/secret-key.ts';
import { closeServices, createServices, outgoingFolders } from '../app/services.ts';
import { REPLACE_KEY_COMMAND, TOKEN_COMMAND } from '../commands/command-lines.ts';
import { type Listener, listen } from '../contract/index.ts';
import { hostAndPort } from '../contract/request/address.ts';
import { openDatabase, type Transaction } from '../database/database.ts';
import { type FolderLock, lockFolder } from '../database/folder/folder-lock.ts';
import { describeLocation } from '../database/folder/location.ts';
import { createPrivateFolder } from '../database/folder/private-folder.ts';
import { type Clock, type CreateId, createId } from '../database/seams.ts';
import { registerServer } from '../database/servers/registration.ts';
import { shareRequestCounts } from '../database/servers/request-counts.ts';
import { type FirstStart, firstStart } from '../identity/first-start.ts';
import { createTokenUse } from '../identity/token-use.ts';
import { startAuditPruning } from '../platform/accounts/audit-events/jobs.ts';
import { createViewRecorder } from '../platform/integrations/view-events/views.ts';
import { createViolationRecorder } from '../platform/integrations/view-events/violations.ts';
import { auditorOf } from '../platform/kit/audit/record.ts';
import type { ServerParts } from './parts.ts';

/** Time for requests in flight to finish when the server stops, in milliseconds. */
export const REQUEST_GRACE_MS = 10_000;
/** Time for jobs to finish after the requests, in milliseconds. Unfinished jobs return to the queue. */
export const JOB_GRACE_MS = 5000;

/** A running server. */
export interface Running {
  /** URL that it listens on. */
  url: string;
  /** Waits for requests in flight, returns jobs to the queue, and closes the database. */
  stop(): Promise<void>;
}

/**
 * Starts a server: listens, opens and migrates the database, initializes a new one, and runs jobs.
 *
 * @param print Prints lines for the operator: the URL, and on the first start the database and the access token.
 * @param parts What the server is started with besides its configuration.
 */
export async function start(
  config: Config,
  log: Logger,
  print: (line: string) => void,
  parts: ServerParts,
): Promise<Running> {
  // The port comes first: if it is in use, no organization is created, because its token would not be shown.
  const listener = await listen(config.port, config.host);
  let lock: FolderLock | undefined;
  try {
    await createPrivateFolder(config.dataFolder);
    if (config.databaseUrl === undefined) {
      lock = await lockFolder(config.dataFolder);
    }
    const running = await startApp(listener, config, log, print, parts);
    const stop = () => running.stop().finally(() => lock?.release());
    return { ...running, stop };
  } catch (error) {
    lock?.release();
    await listener.close(0);
    throw error;
  }
}

async function startApp(
  listener: Listener,
  config: Config,
  log: Logger,
  print: (line: string) => void,
  parts: ServerParts,
): Promise<Running> {
  const folders = outgoingFolders(config.dataFolder);
  for (const folder of Object.values(folders)) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  const location = databaseLocation(config);
  const database = await openDatabase(location, {
    log,
    upgrades: true,
    replicas: config.databaseReadUrls,
    ...parts.database,
  });
  const secretKey = await requireSecretKey(database, config, REPLACE_KEY_COMMAND).catch(
    async (error: unknown) => {
      await database.close();
      throw error;
    },
  );
  const clock = () => new Date();
  const url = `http://${hostAndPort(config.host, listener.port)}`;
  const queueOptions = { database, clock, createId, log };
  const background = parts.createBackground(queueOptions, { ...config, url, secretKey });
  const services = createServices(config, {
    database,
    clock,
    createId,
    queue: background.queue,
    threads: parts.threads,
    secretKey,
    log,
    publicUrl: config.publicUrl ?? url,
    folder: folders.folder,
  });
  // What is started last stops first. An error does not prevent the rest from stopping.
  await using started = new AsyncDisposableStack();
  started.defer(() => closeServices(services));
  const { onSuperseded } = parts;
  const registration =
    config.databaseUrl === undefined
      ? undefined
      : await registerServer({ database, clock, createId, log, onSuperseded });
  started.defer(() => registration?.stop());
  await services.quotas.refresh();
  started.defer(services.quotas.watch(parts.quotaRefreshMs, log));
  const tokenUse = createTokenUse({ queries: database.query, clock, log });
  started.defer(() => tokenUse.flush());
  const views = createViewRecorder(services);
  started.defer(() => views.flush());
  const violations = createViolationRecorder(services);
  started.defer(() => violations.flush());
  started.defer(() => background.stop(JOB_GRACE_MS));
  const first = await database.transaction((trx) => begin(trx, { clock, createId }, config.bootstrapToken));
  if (first) {
    print(`Database: ${await describeLocation(location)}`);
    printFirstStart(first, print);
  }
  const metrics =
    config.metricsAddress === undefined
      ? undefined
      : await (await import('./metrics.ts')).startMetrics(config.metricsAddress, services, background);
  started.defer(() => metrics?.stop());
  let ending = false;
  const app = createApp({
    services,
    tokenUse,
    views,
    violations,
    rateLimit:
      config.rateLimit === undefined
        ? undefined
        : {
            perMinute: config.rateLimit,
            shared: registration && shareRequestCounts(database, registration),
          },
    trustedProxies: config.trustedProxies,
    validateResponses: config.validateResponses,
    compileAhead: config.compileAhead,
    validations: parts.validations,
    traceRequests: parts.traceRequests,
    onRequestEnd: metrics?.recordRequest,
    ready: async () => !ending && (await database.ready()),
  });
  started.defer(parts.releaseMemory());
  started.defer(await startAuditPruning(services, config.auditRetentionDays));
  if (services.objectStorage) {
    const { startFileMaintenance } = await import('../platform/content/files/jobs.ts');
    started.defer(await startFileMaintenance(services));
  }
  if (config.revisionRetentionDays !== undefined) {
    const { startRevisionPruning } = await import('../platform/spaces/spaces/jobs/revision-retention.ts');
    started.defer(await startRevisionPruning(services, config.revisionRetentionDays));
  }
  listener.serve(app);
  started.defer(() => listener.close(REQUEST_GRACE_MS));
  await background.start(services);
  if (metrics) {
    print(`Metrics: ${metrics.url}`);
  }
  print(`Documentation: ${url}/docs`);
  const running = started.move();
  return {
    url,
    stop: async () => {
      ending = true;
      await running.disposeAsync();
    },
  };
}

/** Initializes a new database, and records it in the audit trail. */
async function begin(
  trx: Transaction,
  seams: { clock: Clock; createId: CreateId },
  bootstrapToken: string | undefined,
): Promise<FirstStart | undefined> {
  const { createId } = seams;
  const first = await firstStart(trx, { now: seams.clock(), createId, bootstrapToken });
  if (!first) {
    return undefined;
  }
  const { organization } = first;
  await auditorOf(seams, { actor: 'operator' })(trx, {
    organization,
    action: 'organization.created',
    resource: { type: 'organization', id: organization },
  });
  return first;
}

function printFirstStart({ organization, email, token }: FirstStart, print: (line: string) => void): void {
  print('Created an organization, its admin and an access token:');
  print(`  organization  ${organization}`);
  print(`  admin         ${email}`);
  print(`  token         ${token}`);
  print(`The token is not shown again. Create more tokens with ${TOKEN_COMMAND}.`);
}
