import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { forkedBackground, inlineBackground, type JobPlacement } from './background.ts';
import { type Config, ConfigError, describeVariables, readConfig } from './config.ts';
import { createContentThreads } from './content/threads/threads.ts';
import { type Listener, listen } from './contract/listener.ts';
import { openDatabase, type Transaction } from './database/database.ts';
import { type FolderLock, lockFolder } from './database/folder-lock.ts';
import { makePrivateFolder } from './database/private-folder.ts';
import { shareRequestCounts } from './database/request-counts.ts';
import { type Clock, type MakeId, makeId } from './database/seams.ts';
import { type FirstStart, firstStart } from './identity/first-start.ts';
import { createTokenUse } from './identity/token-use.ts';
import { createLog } from './log.ts';
import { createAddresses } from './models/addresses.ts';
import { auditorOf } from './models/audit-events/record.ts';
import { startAuditPruning } from './resources/audit-events/jobs.ts';

const HELP = `Starts the documentation platform.

  npm start

Variables of the environment:
${describeVariables()}`;

/** How long requests in flight may take to end when the server stops, in milliseconds. */
export const REQUEST_GRACE_MS = 10_000;
/** How long jobs may take then, before they are given back to be started over. */
export const JOB_GRACE_MS = 5000;

/** A running server. */
export interface Running {
  /** Where it listens. */
  url: string;
  /** Lets requests in flight finish, releases the jobs, and closes the database. */
  stop(): Promise<void>;
}

/**
 * Starts a server: listens, opens the database, migrates it, fills a new one, and has jobs done.
 *
 * @param say where the lines for a person go: the address, and on the first start the token
 * @param jobs where jobs are done
 */
export async function start(
  config: Config,
  log: Logger,
  say: (line: string) => void,
  jobs: JobPlacement,
): Promise<Running> {
  // First of all the port: where it is taken, nothing is made whose token nobody would see.
  const listener = await listen(config.port, config.host);
  let lock: FolderLock | undefined;
  try {
    await makePrivateFolder(config.dataFolder);
    if (config.databaseUrl === undefined) lock = await lockFolder(config.dataFolder);
    const running = await startBehind(listener, config, log, say, jobs);
    const stop = () => running.stop().finally(() => lock?.release());
    return { ...running, stop };
  } catch (error) {
    lock?.release();
    await listener.close(0);
    throw error;
  }
}

async function startBehind(
  listener: Listener,
  config: Config,
  log: Logger,
  say: (line: string) => void,
  jobs: JobPlacement,
): Promise<Running> {
  const database = await openDatabase(
    config.databaseUrl ? { url: config.databaseUrl } : { folder: config.dataFolder },
    { log, checkpoints: jobs === 'inline' ? 'own' : 'by another' },
  );
  const threads = createContentThreads();
  try {
    const outgoing = { allow: config.outgoingAllow, folder: join(config.dataFolder, 'outgoing') };
    await mkdir(outgoing.folder, { recursive: true, mode: 0o700 });
    const secretKey = config.secretKey ?? (await ownKey(config.dataFolder));
    const clock = () => new Date();
    const first = await database.transaction((trx) => begin(trx, { clock, makeId }, config.bootstrapToken));
    if (first) sayFirst(first, say);
    const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${listener.port}`;
    const queueOptions = { database, clock, makeId, log };
    const background =
      jobs === 'inline'
        ? inlineBackground(queueOptions)
        : forkedBackground(queueOptions, jobs, { ...config, url, secretKey });
    const addresses = createAddresses(config.publicUrl ?? url);
    const { queue } = background;
    const services = { database, clock, makeId, addresses, queue, threads, secretKey, log, outgoing };
    const requestCounts =
      config.rateLimit === undefined || config.databaseUrl === undefined
        ? undefined
        : await shareRequestCounts({ database, clock, makeId, log });
    let ending = false;
    const tokenUse = createTokenUse({ queries: database.query, clock, log });
    const app = createApp({
      services,
      tokenUse,
      rateLimit:
        config.rateLimit === undefined ? undefined : { perMinute: config.rateLimit, shared: requestCounts },
      trustedProxies: config.trustedProxies,
      validateResponses: config.validateResponses,
      // A server that does all in one process, as in tests, is soon stopped.
      compileAhead: jobs !== 'inline',
      ready: async () => !ending && (await database.ready()),
    });
    const stopPruning = await startAuditPruning(services, config.auditRetentionDays);
    listener.serve(app);
    await background.start(services);
    say(`Documentation and trying it out: ${url}/docs`);
    return {
      url,
      stop: async () => {
        ending = true;
        await listener.close(REQUEST_GRACE_MS);
        await background.stop(JOB_GRACE_MS);
        await Promise.all([tokenUse.flush(), stopPruning()]);
        await threads.close();
        await requestCounts?.stop();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Fills a new database, and records that in the audit trail. */
async function begin(
  trx: Transaction,
  seams: { clock: Clock; makeId: MakeId },
  bootstrapToken: string | undefined,
): Promise<FirstStart | undefined> {
  const { makeId } = seams;
  const first = await firstStart(trx, { now: seams.clock(), makeId, bootstrapToken });
  if (!first) return undefined;
  const { organization } = first;
  await auditorOf(seams, { actor: 'operator' })(trx, {
    organization,
    action: 'organization.created',
    resource: { type: 'organization', id: organization },
  });
  return first;
}

function sayFirst({ organization, email, token }: FirstStart, say: (line: string) => void): void {
  say('This is the first start: it made an organization, its admin, and an access token.');
  say(`  organization  ${organization}`);
  say(`  admin         ${email}`);
  say(`  token         ${token}`);
  say('The token is shown this once; npm run token makes more.');
}

/**
 * The secret key of an embedded database: made once, kept in a private file beside it.
 *
 * Of several processes that start at once one makes it. It is written under another name and then linked into
 * place, so that none of them reads half a key, and it is on the disk before anything is sealed with it.
 */
async function ownKey(folder: string): Promise<string> {
  const file = join(folder, 'secret-key');
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (known === undefined) {
    const draft = `${file}.${randomBytes(6).toString('hex')}`;
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(randomBytes(32).toString('base64url'));
      await handle.sync();
      await link(draft, file);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    } finally {
      await handle.close();
      await rm(draft);
    }
    return await ownKey(folder);
  }
  if (known.length < 32)
    throw new Error(`${file} is damaged: it holds no key. Restore it from a backup of the data folder.`);
  return known;
}

/** What runs when the file is the program: one line for a person when it cannot start. */
async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return;
  }
  if (args[0] !== undefined)
    throw new ConfigError(
      `${args[0]} is no option: settings are variables of the environment, and --help lists them.`,
    );
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const running = await start(config, log, console.log, { environment: process.env });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const { close } = closeWithGrace(
    { delay: REQUEST_GRACE_MS + JOB_GRACE_MS + 5000, logger: false, skip: [...signals] },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'the process ends by a fault');
      await running.stop();
    },
  );
  let asked: number | undefined;
  for (const signal of signals)
    process.on(signal, () => {
      if (asked === undefined) {
        asked = performance.now();
        log.info({ signal }, 'stopping: requests in flight are answered first');
        close();
      } else if (performance.now() - asked > 1000) {
        // Within the second it is no second wish: Ctrl-C reaches us from the terminal and again through npm.
        log.warn({ signal }, 'stopping at once');
        process.exit(1);
      }
    });
}

if (import.meta.main) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof ConfigError ? error.message : startFailure(error));
    process.exitCode = 1;
  });
}

/** Why the server does not start, in one line. */
function startFailure(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error)
    return `PORT ${error.port} is in use: another program listens there. Stop it, or choose another port, such as PORT=3001.`;
  const cause = error instanceof Error ? error.cause : undefined;
  const more = cause === undefined ? '' : ` (${told(cause)})`;
  return `The server could not start: ${told(error)}${more}`.replaceAll(/\s*\n\s*/g, ' ');
}

function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A refused connection to a name with several addresses has no message of its own.
  return error.message || String('code' in error ? error.code : error.name);
}
