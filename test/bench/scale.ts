import { Agent, request } from 'node:http';
import { sql } from 'kysely';
import { openDatabase } from '../../server/database/database.ts';
import { type LargeRead, largeLists, largeReads } from '../support/large-lists.ts';
import { fillOrganization } from '../support/large-organization.ts';
import { startChild } from './child.ts';
import { type BenchEngine, onEachEngine } from './engines.ts';
import { type Figure, median, milliseconds } from './table.ts';

/** Rows of each kind; a few suffice to try the measurement itself. */
const COUNT = Number(process.env.COLOPHON_BENCH_ROWS ?? 100_000);
/** Pattern of the operations to measure; all of them by default. */
const OPERATIONS = new RegExp(process.env.COLOPHON_BENCH_OPERATIONS ?? '');
const ROUNDS = 15;
/** Maximum duration of the repetitions of a read. */
const READ_LIMIT_MS = 600;
/** Maximum duration of reading towards the end of a list. */
const WALK_LIMIT_MS = 3000;
const AIM = 'under 20 ms';

/**
 * Each list of an organization with 100,000 rows of each kind: first page, filters and a page near the end, for an
 * admin, a member with 100,000 grants and teams, and a guest with 100,000 grants; and reads of one resource, which
 * require a permission. Each is compared with reading the caller. The fastest round of a read counts: the others
 * include noise, and the first one computes counts that are cached afterwards.
 */
export async function measureScale(): Promise<Figure[]> {
  return (await onEachEngine(measureOn)).flat();
}

async function measureOn({ engine, location, environment }: BenchEngine): Promise<Figure[]> {
  const service = await startChild('service', environment);
  const database = await openDatabase(location);
  const large = await fillOrganization(database, { url: service.url, token: service.token, count: COUNT });
  // The work of autovacuum and the maintenance of SQLite, which would run soon after.
  if ('url' in location) {
    await sql`vacuum analyze`.execute(database.query);
  } else {
    await sql`pragma optimize = 0x10002`.execute(database.query);
  }
  await database.close();
  const reader = new Reader(service.url);
  const figures: Figure[] = [];
  for (const caller of ['admin', 'member', 'guest'] as const) {
    const { token } = large[caller];
    const point = await reader.measure('/v1/user', token);
    const add = async (read: LargeRead, which: string, target = read.target) => {
      const found = await reader.measure(target, token);
      if (!found) {
        return;
      }
      const filter = read.filter ? ` ${read.filter.slice(0, 20)}` : '';
      const figure: Figure = {
        what: `${read.operation}${filter}, ${which}, by ${caller}, on ${engine}`,
        ours: `${milliseconds(found.best)}, median ${milliseconds(found.median)}, first ${milliseconds(found.first)}`,
        beside: `${milliseconds(point?.best ?? 0)} point read`,
        ratio: found.best / (point?.best ?? 1),
        aim: AIM,
      };
      // The whole takes minutes, so each figure is printed as it is measured.
      console.error(`${figure.what}: ${figure.ours}`);
      figures.push(figure);
    };
    const isMeasured = ({ operation, filter = '' }: LargeRead) => OPERATIONS.test(`${operation} ${filter}`);
    for (const read of largeReads(large).filter(isMeasured)) {
      await add(read, 'read');
    }
    for (const read of largeLists(large).filter(isMeasured)) {
      await add(read, 'first page');
      const deep = read.filter ? undefined : await reader.lastPage(read.target, token);
      if (deep) {
        await add(read, `page at ${deep.at.toLocaleString('en')}`, deep.target);
      }
    }
  }
  reader.close();
  await service.stop();
  return figures;
}

/** Reads sequential responses over one connection. */
class Reader {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  /** Returns the duration of reads; undefined for a caller without permission. */
  async measure(
    target: string,
    token: string,
  ): Promise<{ best: number; median: number; first: number } | undefined> {
    const times: number[] = [];
    const end = performance.now() + READ_LIMIT_MS;
    for (let round = 0; round < 3 || (round < ROUNDS && performance.now() < end); round++) {
      const startedAt = performance.now();
      const { status } = await this.read(target, token);
      if (status === 403 || status === 404) {
        return undefined;
      }
      if (status !== 200) {
        throw new Error(`GET ${target} answered ${status}.`);
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
      const { status, json } = await this.read(
        `${path}${separator}limit=1000${next ? `&page=${next}` : ''}`,
        token,
      );
      if (status !== 200) {
        return undefined;
      }
      at += json.items?.length ?? 0;
      next = json.next?.page;
      if (!next) {
        break;
      }
      lastPage = { target: `${path}${separator}page=${next}`, at };
    }
    return lastPage;
  }

  read(target: string, token: string): Promise<{ status: number; json: ListAnswer }> {
    return new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token}` };
      request(`${this.#url}${target}`, { agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            const status = response.statusCode ?? 0;
            // Only lists are read, which have the envelope of the contract.
            resolve({ status, json: JSON.parse(Buffer.concat(chunks).toString()) as ListAnswer });
          });
      })
        .on('error', reject)
        .end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface ListAnswer {
  items?: unknown[];
  next?: { page: string };
}
