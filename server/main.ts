import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import closeWithGrace from 'close-with-grace';
import { type Logger, pino } from 'pino';
import { createApp } from './app.ts';
import { type Config, ConfigError, describeVariables, readConfig } from './config.ts';
import { type Database, openDatabase } from './database/database.ts';
import { makeId } from './database/seams.ts';
import { firstStart } from './identity/first-start.ts';
import { createQueue } from './jobs/queue.ts';
import { createAddresses } from './models/addresses.ts';

const HELP = `Starts the documentation platform.

  npm start

Variables of the environment:
${describeVariables()}`;

/** A running server. */
export interface Running {
  /** Where it listens. */
  url: string;
  /** Lets requests in flight finish, releases the jobs, and closes the database. */
  stop(): Promise<void>;
}

/**
 * Starts a server: opens the database, migrates it, fills a new one, listens, and works the queue.
 *
 * @param say where the lines for a person go: the address, and on the first start the token
 */
export async function start(config: Config, log: Logger, say: (line: string) => void): Promise<Running> {
  const database = await openDatabase(
    config.databaseUrl ? { url: config.databaseUrl } : { folder: config.dataFolder },
    { log },
  );
  const secretKey = config.secretKey ?? (await ownKey(config.dataFolder));
  const first = await database.transaction((trx) =>
    firstStart(trx, { now: new Date(), makeId, bootstrapToken: config.bootstrapToken }),
  );
  const outgoing = { allow: config.outgoingAllow, folder: join(config.dataFolder, 'outgoing') };
  await mkdir(outgoing.folder, { recursive: true, mode: 0o700 });
  const clock = () => new Date();
  const queue = createQueue({ database, clock, makeId, log });
  const local = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}`;
  let ending = false;
  const server = createServer();
  await new Promise<void>((listening, fail) => {
    server.once('error', fail).listen(config.port, config.host, listening);
  });
  // The port may be 0: callers see the one that the system gave.
  const address = server.address();
  const url = `${local}:${typeof address === 'object' && address ? address.port : config.port}`;
  const addresses = createAddresses(config.publicUrl ?? url);
  const app = createApp({
    services: { database, clock, makeId, addresses, queue, secretKey, log, outgoing },
    rateLimit: config.rateLimit,
    validateResponses: config.validateResponses,
    ready: async () => !ending && (await answers(database)),
  });
  server.on('request', app);
  queue.start();
  if (first) {
    say('This is the first start: it made an organization, its admin, and an access token.');
    say(`  organization  ${first.organization}`);
    say(`  admin         ${first.email}`);
    say(`  token         ${first.token}`);
    say('The token is shown this once; npm run token makes more.');
  }
  say(`Documentation and trying it out: ${url}/docs`);
  return {
    url,
    stop: async () => {
      ending = true;
      const closed = new Promise((done) => server.close(done));
      server.closeIdleConnections();
      await closed;
      await queue.stop();
      await database.close();
    },
  };
}

async function answers(database: Database): Promise<boolean> {
  await database.query.selectFrom('settings').select('key').limit(1).execute();
  return true;
}

/** The secret key of an embedded database: made once, kept in a private file beside it. */
async function ownKey(folder: string): Promise<string> {
  const file = join(folder, 'secret-key');
  const key = randomBytes(32).toString('base64url');
  // `wx` fails where the file exists: of several processes that start at once, one writes it.
  await writeFile(file, key, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return await readFile(file, 'utf8');
}

/** Where secrets could stand in what is logged. */
const SECRETS = ['authorization', 'token', 'password', 'secret', 'secretKey', 'cookie'];

/** The log of a process: JSON lines on standard error, secrets left out. */
export function createLog(level: string): Logger {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino({ level, redact: { paths, censor: '[redacted]' } }, pino.destination(2));
}

/** What runs when the file is the program: one line for a person when it cannot start. */
async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return;
  }
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const running = await start(config, log, console.log);
  closeWithGrace({ delay: 10_000, logger: false }, async ({ err }) => {
    if (err) log.fatal({ err }, 'the process ends by a fault');
    await running.stop();
  });
}

if (import.meta.main) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof ConfigError ? error.message : startFailure(error));
    process.exitCode = 1;
  });
}

function startFailure(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    return 'PORT is in use: another program listens there. Stop it, or choose another port, such as PORT=3001.';
  return `The server could not start: ${error instanceof Error ? error.message : String(error)}`;
}
