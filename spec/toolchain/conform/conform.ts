import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BadInput } from '../bad-input.ts';
import { documentOf, parseData, readSource, type Source } from '../source.ts';
import { knownChecks, listOfChecks } from './checks/names.ts';
import type { Contract } from './contract/contract.ts';
import { basePathOf, readContract } from './contract/read.ts';
import { type ConformOptions, commandAgain, DEFAULT_REPLAY } from './options.ts';
import type { Context } from './report/context.ts';
import type { Outcome } from './report/finding.ts';
import { jsonReport } from './report/json.ts';
import { junitReport } from './report/junit.ts';
import { createProgress, type Progress } from './report/progress.ts';
import { type Replay, readReplay, writeReplay } from './report/replay.ts';
import { textReport } from './report/text.ts';
import { run } from './run/run.ts';
import { attempt } from './wire/attempt.ts';
import { systemClock } from './wire/clock.ts';
import { Unreachable } from './wire/exchange.ts';
import { createWire, type Wire } from './wire/wire.ts';

/**
 * Tries a server and tells what it found, on the standard output and in the files that were asked for.
 * @param runAs how the program is called: `npm run`
 * @returns the exit status: 0 nothing found, 1 failures, 2 bad input or no server
 */
export async function conform(options: ConformOptions, runAs: string): Promise<number> {
  try {
    if (options.listChecks) {
      console.log(listOfChecks());
      return 0;
    }
    return await tryServer(options, runAs);
  } catch (error) {
    const known = error instanceof BadInput || error instanceof Unreachable;
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    console.error(known ? `error: ${error.message}` : fault);
    return 2;
  }
}

async function tryServer(options: ConformOptions, runAs: string): Promise<number> {
  const { url, leaveOut = [] } = options;
  if (!url) throw new BadInput('The address of the server is missing. Give it: --url http://localhost:3000.');
  knownChecks(leaveOut);
  const ending = askedToEnd();
  try {
    const source =
      options.contract === undefined
        ? await fetchSource(url, ending.signal)
        : await readSource(options.contract, process.cwd());
    const contract = readContract(source);
    const replay = options.replay === undefined ? undefined : await readReplay(options.replay);
    if (replay) fitReplay(replay, contract);
    const seed = options.seed ?? replay?.seed ?? randomInt(2 ** 31);
    const base = baseOf(url, source);
    const outcome = await runOver({ options, contract, base, seed, replay, signal: ending.signal });
    const context = {
      contract,
      url: base.href.replace(/\/$/, ''),
      again: commandAgain(runAs, options, seed),
    };
    return await tell(outcome, context, options);
  } finally {
    ending.close();
  }
}

interface Run {
  options: ConformOptions;
  contract: Contract;
  base: URL;
  seed: number;
  replay: Replay | undefined;
  signal: AbortSignal;
}

async function runOver({ options, contract, base, seed, replay, signal }: Run): Promise<Outcome> {
  const {
    token,
    secondToken,
    maxSeconds,
    maxRequests,
    rate,
    only,
    leaveOut = [],
    touchExisting = false,
  } = options;
  const wire: Wire = createWire({
    url: base,
    tokens: { ...(token && { own: token }), ...(secondToken && { second: secondToken }) },
    limits: { maxSeconds, ...(maxRequests && { maxRequests }), ...(rate && { rate }) },
    signal,
  });
  const progress: Progress = createProgress({
    write: (text) => void process.stderr.write(text),
    live: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? 80,
    clock: systemClock,
    requests: wire.requests,
    maxSeconds,
    ...(maxRequests && { maxRequests }),
  });
  try {
    return await run({
      contract,
      wire,
      seed,
      ...(only !== undefined && { only }),
      leaveOut,
      touchExisting,
      secondToken: Boolean(secondToken),
      ...(replay && { replay: replay.plans }),
      progress,
      signal,
    });
  } finally {
    progress.close();
    wire.close();
  }
}

async function tell(outcome: Outcome, context: Context, options: ConformOptions): Promise<number> {
  console.log(textReport(outcome, context));
  if (options.json !== undefined) await save(options.json, jsonReport(outcome, context));
  if (options.junit !== undefined) await save(options.junit, junitReport(outcome, context));
  const failed = outcome.findings.length > 0;
  const file = options.saveReplay ?? (failed && options.replay === undefined ? DEFAULT_REPLAY : undefined);
  if (file !== undefined) {
    await writeReplay(file, outcome, context.contract);
    if (failed)
      console.log(`The requests of the failures alone are in ${file}: run them with --replay ${file}.`);
  }
  if (failed) return 1;
  if (!isLockedOut(outcome)) return 0;
  throw new BadInput(
    `${context.url} let the caller in nowhere, so nothing was found because nothing could be tried. ` +
      (options.token
        ? 'The token of --token is not one of its own: give a valid one.'
        : 'Give a token: --token T, or COLOPHON_TOKEN.'),
  );
}

/** Whether the server only ever answered that it does not know the caller. */
function isLockedOut({ coverage }: Outcome): boolean {
  const statuses = new Set(coverage.flatMap((one) => Object.keys(one.statuses)));
  return statuses.has('401') && ![...statuses].some((status) => /^[23]|^501$/.test(status));
}

/** The address that paths are appended to: with the path of the document's server, where the given one has none. */
function baseOf(url: URL, source: Source): URL {
  return url.pathname === '/' ? new URL(basePathOf(source) || '/', url) : url;
}

async function fetchSource(url: URL, signal: AbortSignal): Promise<Source> {
  const name = `${url.href.replace(/\/$/, '')}/openapi.json`;
  const mend = 'Give the document itself: --contract FILE.';
  const agent = new (url.protocol === 'https:' ? HttpsAgent : HttpAgent)();
  const request = {
    method: 'GET',
    target: '/openapi.json',
    headers: [['Accept', 'application/json']] satisfies [string, string][],
  };
  const result = await attempt({ url, agent, request, patience: 30_000, signal, clock: systemClock });
  if ('failure' in result) {
    const { code, failure } = result;
    if (code === undefined) throw new BadInput(`${name} could not be fetched. ${failure} ${mend}`);
    throw new Unreachable(
      `${url.href} cannot be reached. ${failure} See that the server runs and that --url is its address.`,
    );
  }
  const { status, body } = result.answer;
  if (status !== 200)
    throw new BadInput(
      `${name} was answered ${status}, so there is no contract to hold the server to. ${mend}`,
    );
  return documentOf(name, parseData(name, new TextDecoder().decode(body)));
}

/** @throws {BadInput} when a plan asks for an operation that the contract has not */
function fitReplay({ contract: made, plans }: Replay, contract: Contract): void {
  const known = new Set(contract.operations.map(({ id }) => id));
  const unknown = plans.flatMap(({ steps }) => steps).find(({ operation }) => !known.has(operation));
  if (unknown)
    throw new BadInput(
      `The replay file asks for the operation ${unknown.operation}, which ${contract.title} ${contract.version} has not. ` +
        `It was made for ${made.title} ${made.version}: give that contract, or leave --replay out.`,
    );
  if (made.title !== contract.title || made.version !== contract.version)
    console.error(`note: the replay file was made for ${made.title} ${made.version}.`);
}

async function save(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, `${text}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BadInput(
      `The report cannot be written to ${file}: ${reason}. Give a path in a folder that there is.`,
    );
  }
}

/** Ends the run at the first signal; at the second the process, because whoever asks twice does not want to wait. */
function askedToEnd(): { signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  const end = () => {
    if (controller.signal.aborted) process.exit(2);
    console.error('\nThe run ends: what it made is deleted. Ask again to leave at once.');
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, end);
  return {
    signal: controller.signal,
    close() {
      for (const signal of signals) process.off(signal, end);
    },
  };
}
