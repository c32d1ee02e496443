import { pino } from 'pino';
import { type Client, createClient } from '../../client/platform/index.ts';
import { databaseLocation, readConfig } from '../../server/app/config.ts';
import { type ContentThreads, createContentThreads } from '../../server/content/threads/threads.ts';
import { type Database, type DatabaseLocation, openDatabase } from '../../server/database/database.ts';
import { WAITING_TRANSACTION } from '../../server/database/engines/open-transaction.ts';
import { createId } from '../../server/database/seams.ts';
import type { Role } from '../../server/identity/levels.ts';
import { createToken } from '../../server/identity/tokens.ts';
import { programParts } from '../../server/process/parts.ts';
import { start } from '../../server/process/start.ts';
import { type Tasks, type Threads, ThreadsBusyError } from '../../server/threads/threads.ts';
import { assertNoWaits, testLocation } from './database/engines.ts';
import { ADMIN_TOKEN, programEnvironment, SECRET_KEY } from './environment.ts';
import { testParts } from './server-parts.ts';

/**
 * Threads of all servers that a worker starts. Each thread loads the content engine when it starts, so they remain for
 * the duration of the suite.
 */
const sharedThreads = createContentThreads({ idleMs: 1_800_000 });

/** Returns the shared threads for one server. When it closes them, only its own tasks end. */
function threadsOfServer(): ContentThreads {
  const closing = new AbortController();
  const ownTasks = <All extends Tasks>(threads: Threads<All>): Threads<All> => ({
    run: (name, input, options) => {
      const signals = [closing.signal, ...(options.signal ? [options.signal] : [])];
      return threads.run(name, input, { ...options, signal: AbortSignal.any(signals) });
    },
    close: async () => closing.abort(new ThreadsBusyError('The server is stopping.')),
  });
  return {
    ...ownTasks(sharedThreads),
    importing: ownTasks(sharedThreads.importing),
    printing: ownTasks(sharedThreads.printing),
    drawing: ownTasks(sharedThreads.drawing),
  };
}

const locationVariables = (location: DatabaseLocation): Record<string, string> =>
  'url' in location ? { DATABASE_URL: location.url } : { COLOPHON_DATA: location.folder };

/** A user of the server under test. */
export interface Person {
  id: string;
  email: string;
  token: string;
  client: Client;
}

/** A whole server, listening on loopback, on the engine of this run. */
export interface TestServer {
  url: string;
  /** Organization that the first start created. */
  organization: string;
  /** Its admin. */
  admin: Person;
  /** Creates a client with a token, or without. */
  as(token?: string): Client;
  /** Creates a user with a token who is a member of no organization. */
  person(name: string): Promise<Person>;
  /** Creates a member of an organization; the role null makes a guest. */
  member(name: string, role: Role | null, organization?: string): Promise<Person>;
  /** Where its data are. */
  location: DatabaseLocation;
  /** Database of the server, for states that no operation can create. */
  database: Database;
  /** Rejects if a transaction of the server awaited something other than the database. */
  stop(): Promise<void>;
}

/**
 * Starts a server for a test file, as `npm start` does, with an empty database, or that of `DATABASE_URL`.
 *
 * @param environment variables in addition to those that every test needs
 * @param jobs where jobs run: in this process, which is fast, or in a separate one, as in production
 */
export async function startTestServer(
  environment: Record<string, string> = {},
  jobs: 'inline' | 'forked' = 'inline',
): Promise<TestServer> {
  const own = environment.DATABASE_URL === undefined ? await testLocation() : undefined;
  const variables = {
    PORT: '0',
    COLOPHON_BOOTSTRAP_TOKEN: ADMIN_TOKEN,
    COLOPHON_RATE_LIMIT: 'off',
    COLOPHON_COMPILE_AHEAD: 'off',
    COLOPHON_OUTGOING_ALLOW: '127.0.0.0/8,::1/128',
    COLOPHON_SECRET_KEY: SECRET_KEY,
    ...(own && locationVariables(own.location)),
    ...environment,
  };
  const config = readConfig(variables);
  const location = databaseLocation(config);
  const waits: string[] = [];
  const log = pino(
    { level: process.env.LOG_LEVEL ?? 'error' },
    {
      write: (line) => {
        if (line.includes(WAITING_TRANSACTION)) {
          waits.push(line);
        }
        if (process.env.LOG_LEVEL !== undefined) {
          process.stderr.write(line);
        }
      },
    },
  );
  const running = await start(
    config,
    log,
    () => undefined,
    jobs === 'inline'
      ? testParts(threadsOfServer())
      : { ...programParts({ ...programEnvironment(), ...variables }), threads: threadsOfServer() },
  );
  // The server migrated it.
  const database = await openDatabase(location, { migrated: true });
  const as = (token?: string) =>
    createClient({ baseUrl: running.url, retries: 0, ...(token !== undefined && { token }) });

  const person = async (name: string): Promise<Person> => {
    const [id, email] = [createId('usr'), `${name.toLowerCase()}@example.com`];
    // Before whatever the test creates, which is listed by time.
    const now = new Date(Date.now() - 1000);
    const token = await database.transaction(async (trx) => {
      await trx
        .insertInto('users')
        .values({ id, email, displayName: name, photoURL: null, createdAt: now.toISOString() })
        .execute();
      return (await createToken(trx, { user: id, label: 'test', now, createId })).token;
    });
    return { id, email, token, client: as(token) };
  };

  const admin = await database.query
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user')
    .select(['users.id', 'users.email', 'members.organization'])
    .executeTakeFirstOrThrow();

  return {
    url: running.url,
    organization: admin.organization,
    admin: { id: admin.id, email: admin.email ?? '', token: ADMIN_TOKEN, client: as(ADMIN_TOKEN) },
    as,
    person,
    member: async (name, role, organization = admin.organization) => {
      const member = await person(name);
      await database.query
        .insertInto('members')
        .values({
          organization,
          user: member.id,
          role,
          disabled: 0,
          sso: 0,
          joinedAt: new Date().toISOString(),
          lastSeenAt: null,
        })
        .execute();
      return member;
    },
    location,
    database,
    stop: async () => {
      await running.stop();
      await database.close();
      await own?.remove();
      assertNoWaits(waits);
    },
  };
}
