import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { documentOf, parseData, type Source } from '../source.ts';
import { UsageError } from '../usage-error.ts';
import { attempt } from './wire/attempt.ts';
import { systemClock } from './wire/clock.ts';
import { RunEnded, Unreachable } from './wire/exchange.ts';
import { Recovery } from './wire/recovery.ts';
import { MAX_PROBE_TIMEOUT_MS } from './wire/wire.ts';

/** Fetches the contract from a server. @throws {Unreachable} @throws {UsageError} */
export async function fetchSource(url: URL, signal: AbortSignal): Promise<Source> {
  const name = `${url.href.replace(/\/$/, '')}/openapi.json`;
  const fix = 'Pass the document: --contract FILE.';
  const agent = new (url.protocol === 'https:' ? HttpsAgent : HttpAgent)();
  const request = {
    method: 'GET',
    target: '/openapi.json',
    headers: [['Accept', 'application/json']] satisfies [string, string][],
  };
  const result = await attempt({ url, agent, request, timeoutMs: 30_000, signal, clock: systemClock });
  if ('failure' in result) {
    const { code, failure } = result;
    if (code === undefined) {
      throw new UsageError(`${name} could not be fetched. ${failure} ${fix}`);
    }
    throw new Unreachable(
      `${url.href} cannot be reached. ${failure} Check that the server is running and that --url is its URL.`,
    );
  }
  const { status, body } = result.response;
  if (status !== 200) {
    throw new UsageError(`${name} returned ${status}, so no contract is available. ${fix}`);
  }
  return documentOf(name, parseData(name, new TextDecoder().decode(body)));
}

/** Starts a server that does not run. @throws {Unreachable} when it does not respond then */
export async function startServer(
  url: URL,
  restart: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const recovery = new Recovery({
    url,
    restart,
    clock: systemClock,
    probeTimeoutMs: MAX_PROBE_TIMEOUT_MS,
    signal,
  });
  if (await recovery.responds()) {
    return;
  }
  try {
    await recovery.recover();
  } catch (error) {
    if (error instanceof RunEnded) {
      throw new Unreachable(
        `${url.href} cannot be reached after the command of --restart. Run it to see its output.`,
      );
    }
    throw error;
  }
}
