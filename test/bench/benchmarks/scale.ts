import { Agent, request } from 'node:http';
import { sql } from 'kysely';
import { openDatabase } from '../../../server/database/database.ts';
import { type LargeRead, largeLists, largeReads, publishedReads } from '../../support/large/large-lists.ts';
import { fillOrganization, type LargeOrganization } from '../../support/large/large-organization.ts';
import { type Amounts, amountFor, type Benchmark } from '../benchmark.ts';
import { type BenchEngine, onEachEngine, SECRET_KEY } from '../engines.ts';
import { type Figure, median, milliseconds, ratioOf } from '../table.ts';

/** Amounts of work of a run. */
interface ScaleAmounts {
  /** Rows of each kind. */
  rows: number;
  /** Measures each nth read. */
  step: number;
  rounds: number;
  /** Rounds of a read after a change. */
  changedRounds: number;
}

const AMOUNTS: Amounts<ScaleAmounts> = {
  full: { rows: 100_000, step: 1, rounds: 15, changedRounds: 5 },
  tiny: { rows: 60, step: 40, rounds: 2, changedRounds: 2 },
};
/** Pattern of the operations to measure; all of them by default. */
const OPERATIONS = new RegExp(process.env.COLOPHON_BENCH_OPERATIONS ?? '');
/** Maximum duration of the repetitions of a read. */
const READ_LIMIT_MS = 600;
/** Maximum duration of reading towards the end of a list. */
const WALK_LIMIT_MS = 3000;
const TARGET = 'under 20 ms';

/**
 * Each list of an organization with 100,000 rows of each kind: first page, filters and a page near the end, for an
 * admin, a member with 100,000 grants and teams, and a guest with 100,000 grants; reads of one resource, which require
 * a permission; and reads of visitors. Each is compared with reading the caller. The fastest round of a read counts:
 * the others include noise. The first calls after a change are a separate figure: each of several follows changes of a
 * team's grants, a team's title, a member's role and a site's title, which cached counts depend on, and the fastest
 * counts.
 */
export const benchmark: Benchmark = {
  description: 'lists and reads in an organization with 100,000 rows of each kind',
  run: async (size, report) => {
    await onEachEngine((engine) => measureOn(engine, amountFor(size, AMOUNTS), report));
  },
};

async function measureOn(
  { engine, location, startService }: BenchEngine,
  amounts: ScaleAmounts,
  report: (figure: Figure) => void,
): Promise<void> {
  const initial = await startService();
  const database = await openDatabase(location);
  const large = await fillOrganization(database, {
    url: initial.url,
    token: initial.token,
    count: amounts.rows,
    secretKey: SECRET_KEY,
  });
  // The work of autovacuum and the maintenance of SQLite, which would run soon after.
  if ('url' in location) {
    await sql`vacuum analyze`.execute(database.query);
  } else {
    await sql`pragma optimize = 0x10002`.execute(database.query);
  }
  await database.close();
  // Connections to SQLite read the statistics when they are opened, as after its maintenance.
  await initial.stop();
  const service = await startService();
  const reader = new Reader(service.url, amounts);
  const change = () => changeCounted(reader, large);
  const point = await reader.measure('/v1/user', large.admin.token);
  /** Measures a read by a caller, and if it has the target of the list, also after each of several changes. */
  const add = async (
    read: LargeRead,
    which: string,
    { caller, token, target = read.target }: { caller: string; token: string | undefined; target?: string },
  ) => {
    const found = await reader.measure(target, token);
    if (!found) {
      return;
    }
    const changed = target === read.target ? await reader.measure(target, token, change) : undefined;
    const filter = read.filter ? ` ${read.filter.slice(0, 20)}` : '';
    const addFigure = (when: string, { best, median, first }: Duration) => {
      report({
        name: `${read.operation}${filter}, ${when}, by ${caller}, on ${engine}`,
        result: `${milliseconds(best)}, median ${milliseconds(median)}, first ${milliseconds(first)}`,
        baseline: `${milliseconds(point?.best ?? 0)} point read`,
        ratio: ratioOf(best, point?.best ?? 0),
        target: TARGET,
      });
    };
    addFigure(which, found);
    if (changed) {
      addFigure('first call after a change', changed);
    }
  };
  const isMeasured = ({ operation, filter = '' }: LargeRead, at: number) =>
    OPERATIONS.test(`${operation} ${filter}`) && at % amounts.step === 0;
  for (const caller of ['admin', 'member', 'guest'] as const) {
    const { token } = large[caller];
    for (const read of [...largeReads(large), ...publishedReads(large)].filter(isMeasured)) {
      await add(read, 'read', { caller, token });
    }
    for (const read of largeLists(large).filter(isMeasured)) {
      await add(read, 'first page', { caller, token });
      const deep = read.filter ? undefined : await reader.lastPage(read.target, token);
      if (deep) {
        await add(read, `page at ${deep.at.toLocaleString('en')}`, { caller, token, target: deep.target });
      }
    }
  }
  for (const [caller, token] of [
    ['a visitor', undefined],
    ['a visitor with a token', large.visited.visitorToken],
  ] as const) {
    for (const read of publishedReads(large).filter(isMeasured)) {
      await add(read, 'read', { caller, token });
    }
  }
  reader.close();
  await service.stop();
}

/** Makes changes that outdate cached counts and pages, and reverts those that can be reverted. */
async function changeCounted(reader: Reader, large: LargeOrganization): Promise<void> {
  const { token } = large.admin;
  const org = `/v1/orgs/${large.organizationId}`;
  const team = 'team_10000001';
  const grants = `/v1/collections/${large.shelfId}/permissions`;
  const changes: Array<[method: string, target: string, body?: object]> = [
    ['POST', grants, { teams: [team], role: 'read' }],
    ['DELETE', `${grants}/teams/${team}`],
    ['PATCH', `${org}/teams/${team}`, { title: `Team ${Math.random()}` }],
    ['PATCH', `${org}/members/${large.userId}`, { role: 'comment' }],
    ['PATCH', `${org}/members/${large.userId}`, { role: 'read' }],
    ['PATCH', `${org}/sites/site_10000001`, { title: `Site ${Math.random()}` }],
  ];
  for (const [method, target, body] of changes) {
    const { status } = await reader.send(method, target, token, body);
    if (status >= 300) {
      throw new Error(`${method} ${target} returned ${status}.`);
    }
  }
}

/** Duration of the rounds of a read: the fastest but for the first, the median of the others, and the first. */
interface Duration {
  best: number;
  median: number;
  first: number;
}

/** Sends sequential requests over one connection. */
class Reader {
  readonly #url: string;
  readonly #amounts: ScaleAmounts;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string, amounts: ScaleAmounts) {
    this.#url = url;
    this.#amounts = amounts;
  }

  /**
   * Returns the duration of reads; undefined for a caller without permission.
   *
   * @param change runs before each read
   */
  async measure(
    target: string,
    token: string | undefined,
    change?: () => Promise<void>,
  ): Promise<Duration | undefined> {
    const times: number[] = [];
    const end = performance.now() + READ_LIMIT_MS;
    const { rounds, changedRounds } = this.#amounts;
    const isMeasured = (round: number) =>
      change
        ? round < changedRounds
        : round < 2 || (round < rounds && (round < 3 || performance.now() < end));
    for (let round = 0; isMeasured(round); round++) {
      await change?.();
      const startedAt = performance.now();
      const { status } = await this.read(target, token);
      if (status === 401 || status === 403 || status === 404) {
        return undefined;
      }
      if (status !== 200) {
        throw new Error(`GET ${target} returned ${status}.`);
      }
      times.push(performance.now() - startedAt);
    }
    const [first = 0, ...others] = times;
    return { best: Math.min(...others), median: median(others), first };
  }

  /** Returns the last page of a list, or the last one reached in time; undefined if the first page is the last. */
  async lastPage(path: string, token: string): Promise<{ target: string; at: number } | undefined> {
    const separator = path.includes('?') ? '&' : '?';
    let lastPage: { target: string; at: number } | undefined;
    const end = performance.now() + WALK_LIMIT_MS;
    for (let next: string | undefined, at = 0; performance.now() < end; ) {
      const { status, body } = await this.read(
        `${path}${separator}limit=1000${next ? `&page=${next}` : ''}`,
        token,
      );
      if (status !== 200) {
        return undefined;
      }
      // Lists have the envelope of the contract.
      const list = JSON.parse(body.toString()) as ListResponse;
      at += list.items?.length ?? 0;
      next = list.next?.page;
      if (!next) {
        break;
      }
      lastPage = { target: `${path}${separator}page=${next}`, at };
    }
    return lastPage;
  }

  read(target: string, token: string | undefined): Promise<{ status: number; body: Buffer }> {
    return this.send('GET', target, token);
  }

  send(
    method: string,
    target: string,
    token: string | undefined,
    sent?: object,
  ): Promise<{ status: number; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(sent && { 'Content-Type': 'application/json' }),
      };
      request(`${this.#url}${target}`, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      })
        .on('error', reject)
        .end(sent && JSON.stringify(sent));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface ListResponse {
  items?: unknown[];
  next?: { page: string };
}
