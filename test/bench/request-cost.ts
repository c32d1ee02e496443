import { Agent, request } from 'node:http';
import type { Child } from './child.ts';
import { usageOfTree } from './processes.ts';
import { median } from './table.ts';

/** A request that is repeated. */
export interface RequestLoad {
  server: Child;
  method: 'GET' | 'POST';
  /** Path and query. */
  target: string;
  send?: object | undefined;
  token?: string | undefined;
  /** ID of the first process of the database server, if its CPU is measured too. */
  database?: number | undefined;
}

/** Numbers of requests. */
export interface Rounds {
  /** Requests to each server that are not measured, while the compiler warms up. */
  warmups: number;
  rounds: number;
  /** Requests to each server in a round. */
  requests: number;
}

/** Microseconds of CPU per request. */
export interface RequestCost {
  /** CPU of the server: the median of the rounds. */
  server: number;
  /** CPU of the database server in all rounds. */
  database: number | undefined;
}

/**
 * Sends requests to servers over keep-alive connections. The servers take turns in each round, in another order each
 * time, so that the load of the machine affects all of them. Returns the cost of each.
 */
export async function measureInTurn(
  loads: readonly RequestLoad[],
  { warmups, rounds, requests }: Rounds,
): Promise<RequestCost[]> {
  for (const load of loads) {
    await sendMany(load, warmups);
  }
  const costs = loads.map(() => ({ server: [] as number[], database: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < loads.length; turn++) {
      const index = (round + turn) % loads.length;
      const load = loads[index];
      if (load) {
        const before = await usageOf(load);
        await sendMany(load, requests);
        const after = await usageOf(load);
        costs[index]?.server.push((after.server - before.server) / requests);
        costs[index]?.database.push((after.database - before.database) / requests);
      }
    }
  }
  return costs.map(({ server, database }, index) => ({
    server: median(server),
    // The clock of other processes ticks only a hundred times a second, so that single rounds are inaccurate.
    database:
      loads[index]?.database === undefined
        ? undefined
        : database.reduce((sum, cost) => sum + cost, 0) / rounds,
  }));
}

/** Concurrent requests. */
const CONNECTIONS = 8;

/** Returns the CPU of a server and of its database server so far, in microseconds. */
async function usageOf({ server, database }: RequestLoad): Promise<{ server: number; database: number }> {
  const { cpu } = await server.usage();
  const cpuMs = database === undefined ? 0 : (await usageOfTree(database)).cpuMs;
  return { server: cpu, database: cpuMs * 1000 };
}

async function sendMany(load: RequestLoad, count: number): Promise<void> {
  // A connection that stayed idle during the turns of the others could be closed by its server at any time.
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      await send(agent, load);
    }
  };
  // Creations at the end of one list take turns in the database: concurrent ones would measure that.
  await Promise.all(Array.from({ length: load.method === 'POST' ? 1 : CONNECTIONS }, worker));
  agent.destroy();
}

function send(agent: Agent, { server, method, target, send: body, token }: RequestLoad): Promise<void> {
  const text = body && JSON.stringify(body);
  const headers = {
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${target}`, { method, agent, headers }, (response) => {
      response.resume().on('end', () => {
        if ((response.statusCode ?? 500) < 300) {
          resolve();
        } else {
          reject(new Error(`${method} ${target} returned ${response.statusCode}.`));
        }
      });
    });
    sent.on('error', reject).end(text);
  });
}
