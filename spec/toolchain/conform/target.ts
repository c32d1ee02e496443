import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { messageOf } from '../../../server/contract/errors.ts';
import { receivedSource, type Source } from '../source.ts';
import { UsageError } from '../usage-error.ts';
import { createAgent } from './wire/agent.ts';
import { attempt } from './wire/attempt.ts';
import { systemClock } from './wire/clock.ts';
import { RunEnded, Unreachable } from './wire/exchange.ts';
import { Recovery } from './wire/recovery.ts';
import { MAX_PROBE_TIMEOUT_MS } from './wire/wire.ts';

/** Connection to a server. */
export interface Target {
  url: URL;
  /** Headers of every request. */
  headers: readonly [name: string, value: string][];
  /** Certificates of the trusted authorities in PEM. Default: those of Node. */
  ca?: readonly string[];
}

/** Returns the certificates of Node and those of a file. @throws {UsageError} when the file has none */
export async function readAuthorities(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const reason = messageOf(error);
    throw new UsageError(`The certificates of --ca cannot be read: ${reason}. Pass a file in PEM.`);
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new UsageError(`${file} contains no certificate. Pass a file in PEM with --ca.`);
  }
  return [...rootCertificates, text];
}

/** Fetches the contract from a server. @throws {Unreachable} @throws {UsageError} */
export async function fetchSource({ url, headers, ca }: Target, signal: AbortSignal): Promise<Source> {
  const name = `${url.href.replace(/\/$/, '')}/openapi.json`;
  const fix = 'Pass the document: --contract FILE.';
  const agent = createAgent(url, { ...(ca && { ca }) });
  const request = {
    method: 'GET',
    target: '/openapi.json',
    headers: [...headers, ['Accept', 'application/json']] satisfies [string, string][],
  };
  const result = await attempt({ url, agent, request, timeoutMs: 30_000, signal, clock: systemClock });
  if ('failure' in result) {
    const { code, failure } = result;
    if (code === undefined) {
      throw new UsageError(`${name} could not be fetched. ${failure} ${fix}`);
    }
    throw new Unreachable(url, failure, code);
  }
  const { status, body } = result.response;
  if (status !== 200) {
    throw new UsageError(`${name} returned ${status}, so no contract is available. ${fix}`);
  }
  return receivedSource(name, new TextDecoder().decode(body));
}

/** Starts a server that does not run. @throws {Unreachable} when it does not respond then */
export async function startServer(
  { url, ca }: Target,
  restart: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const recovery = new Recovery({
    url,
    ...(ca && { ca }),
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
      throw new Unreachable(url, 'It does not respond after the command of --restart.', '');
    }
    throw error;
  }
}
