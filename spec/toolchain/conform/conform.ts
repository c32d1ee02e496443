import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { messageOf } from '../../../server/contract/errors.ts';
import type { Contract } from '../model/contract/contract.ts';
import { basePathOf, readContract } from '../model/contract/read.ts';
import { readSource, type Source } from '../source.ts';
import { UsageError } from '../usage-error.ts';
import { assertCheckNames, formatChecks } from './checks/names.ts';
import { interruption } from './interruption.ts';
import { type ConformOptions, DEFAULT_REPLAY_FILE, repeatCommand } from './options.ts';
import { readBaseline, withBaseline, writeBaseline } from './report/baseline.ts';
import type { Context } from './report/context.ts';
import type { Outcome } from './report/finding.ts';
import { htmlReport } from './report/html.ts';
import { jsonReport } from './report/json.ts';
import { junitReport } from './report/junit.ts';
import { createProgress, type Progress } from './report/progress.ts';
import { type Replay, readReplay, writeReplay } from './report/replay.ts';
import { headerVariable, quote } from './report/shell.ts';
import { textReport } from './report/text.ts';
import { run } from './run/run.ts';
import { fetchSource, readAuthorities, startServer, type Target } from './target.ts';
import { systemClock } from './wire/clock.ts';
import { createRestartCommand, type RestartCommand } from './wire/restart-command.ts';
import { createWire, type Wire } from './wire/wire.ts';

/**
 * Tests a server and writes the report to standard output and the requested files.
 * @param runAs how users call the program: `npm run`
 * @returns exit code: 0 without failures, 1 with failures
 * @throws {UsageError} for invalid input, or an unreachable server
 */
export async function conform(options: ConformOptions, runAs: string): Promise<number> {
  if (options.listChecks) {
    console.log(formatChecks());
    return 0;
  }
  return await testServer(options, runAs);
}

async function testServer(options: ConformOptions, runAs: string): Promise<number> {
  const { url, excludeChecks: excludedChecks = [] } = options;
  if (!url) {
    throw new UsageError('The URL of the server is missing. Pass it: --url http://localhost:3000.');
  }
  assertCheckNames(excludedChecks);
  const target: Target = {
    url,
    headers: options.header ?? [],
    ...(options.ca !== undefined && { ca: await readAuthorities(options.ca) }),
  };
  const interrupt = interruption();
  const restart = options.restart === undefined ? undefined : createRestartCommand(options.restart);
  try {
    if (restart) {
      await startServer(target, restart.restart, interrupt.signal);
    }
    const source =
      options.contract === undefined
        ? await fetchSource(target, interrupt.signal)
        : await readSource(options.contract, process.cwd());
    const contract = withoutHeaders(readContract(source), target);
    const replay = options.replay === undefined ? undefined : await readReplay(options.replay);
    const baseline = options.baseline === undefined ? undefined : await readBaseline(options.baseline);
    if (replay) {
      assertReplayFits(replay, contract);
    }
    const seed = options.seed ?? replay?.seed ?? randomInt(2 ** 31);
    const base = baseUrlOf(url, options.basePath, source);
    const outcome = await startRun({
      options,
      contract,
      target: { ...target, url: base },
      seed,
      replay,
      restart,
      signal: interrupt.signal,
    });
    const context = {
      contract,
      url: base.href.replace(/\/$/, ''),
      curlArguments: curlArgumentsOf(options),
      command: repeatCommand(runAs, options, seed),
    };
    if (options.baseline !== undefined && !baseline) {
      return await reportBaseline(options.baseline, outcome, context, options);
    }
    return await report(baseline ? withBaseline(outcome, baseline) : outcome, context, options);
  } finally {
    await restart?.stop();
    interrupt.close();
  }
}

interface Run {
  options: ConformOptions;
  contract: Contract;
  target: Target;
  seed: number;
  replay: Replay | undefined;
  restart: RestartCommand | undefined;
  signal: AbortSignal;
}

async function startRun({ options, contract, target, seed, replay, restart, signal }: Run): Promise<Outcome> {
  const {
    token,
    secondToken,
    maxSeconds,
    maxRequests,
    rate,
    timeout,
    only,
    exclude = [],
    excludeChecks: excludedChecks = [],
    touchExisting = false,
  } = options;
  const wire: Wire = createWire({
    ...target,
    tokens: { ...(token && { own: token }), ...(secondToken && { second: secondToken }) },
    limits: { maxSeconds, ...(maxRequests && { maxRequests }), ...(rate && { rate }) },
    timeout: timeout * 1000,
    ...(restart && { restart: restart.restart }),
    log: (message) => process.stderr.write(`\n${message}\n`),
    signal,
  });
  const progress: Progress = createProgress({
    write: (text) => void process.stderr.write(text),
    live: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? 80,
    clock: systemClock,
    requests: () => wire.requests(),
    maxSeconds,
    ...(maxRequests && { maxRequests }),
  });
  try {
    return await run({
      contract,
      wire,
      seed,
      ...(only !== undefined && { only }),
      exclude,
      excludedChecks,
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

/** Reports the failures of a run as known ones of later runs. */
async function reportBaseline(
  file: string,
  outcome: Outcome,
  context: Context,
  options: ConformOptions,
): Promise<number> {
  await writeBaseline(file, outcome);
  const known = withBaseline(outcome, { failures: outcome.findings });
  const code = await report(known, context, options);
  console.log(`Wrote ${outcome.findings.length} known failures to ${file}. Later runs fail only for others.`);
  return code;
}

async function report(outcome: Outcome, context: Context, options: ConformOptions): Promise<number> {
  console.log(textReport(outcome, context));
  if (options.json !== undefined) {
    await save(options.json, jsonReport(outcome, context));
  }
  if (options.junit !== undefined) {
    await save(options.junit, junitReport(outcome, context));
  }
  if (options.html !== undefined) {
    await save(options.html, htmlReport(outcome, context));
  }
  const failed = outcome.findings.length > 0;
  const file =
    options.saveReplay ?? (failed && options.replay === undefined ? DEFAULT_REPLAY_FILE : undefined);
  if (file !== undefined) {
    await writeReplay(file, outcome, context.contract);
    if (failed) {
      console.log(`The requests of the failures are in ${file}. Run them with --replay ${file}.`);
    }
  }
  if (isMisplaced(outcome)) {
    throw new UsageError(
      `${context.url} returned 404 for every request, so nothing was tested. The paths of the contract probably have ` +
        'another prefix on this server. Pass it: --base-path /api, or --base-path / for none.',
    );
  }
  if (failed) {
    return 1;
  }
  if (!isLockedOut(outcome)) {
    return 0;
  }
  throw new UsageError(
    `${context.url} rejected every request as unauthenticated, so nothing was tested. ` +
      (options.token
        ? 'The token is invalid. Pass a valid one.'
        : 'Pass a token: --token T, or COLOPHON_TOKEN.'),
  );
}

/** Returns whether the server found no path of the contract. */
function isMisplaced({ coverage }: Outcome): boolean {
  const statuses = coverage.flatMap((entry) => Object.keys(entry.statuses));
  // A path with identifiers may only lack the resource.
  const isCertain = coverage.some(({ path, state }) => state === 'tested' && !path.includes('{'));
  return isCertain && statuses.length > 0 && statuses.every((status) => status === '404');
}

/** Returns whether the server rejected every request as unauthenticated. */
function isLockedOut({ coverage }: Outcome): boolean {
  const statuses = new Set(coverage.flatMap((entry) => Object.keys(entry.statuses)));
  return statuses.has('401') && ![...statuses].some((status) => /^[23]|^501$/.test(status));
}

/** Returns the URL that paths are appended to. Its path defaults to that of the document's first server. */
function baseUrlOf(url: URL, basePath: string | undefined, source: Source): URL {
  if (basePath !== undefined) {
    return new URL(basePath || '/', url);
  }
  return url.pathname === '/' ? new URL(basePathOf(source) || '/', url) : url;
}

/** Removes the parameters with values that are specified for every request. @throws {UsageError} for credentials */
function withoutHeaders(contract: Contract, { headers }: Target): Contract {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const scheme = contract.operations
    .flatMap(({ security }) => security.flat())
    .find(({ kind, parameter }) => kind === 'header' && names.has(String(parameter).toLowerCase()));
  if (scheme) {
    throw new UsageError(`The header ${scheme.parameter} contains credentials. Pass them with --token.`);
  }
  return {
    ...contract,
    operations: contract.operations.map((operation) => ({
      ...operation,
      parameters: operation.parameters.filter(
        ({ in: location, name }) => location !== 'header' || !names.has(name.toLowerCase()),
      ),
    })),
  };
}

const curlArgumentsOf = ({ ca, header = [] }: ConformOptions): string[] => [
  ...(ca === undefined ? [] : [`--cacert ${quote(ca)}`]),
  ...header.map(([name]) => `-H "${name}: $${headerVariable(name)}"`),
];

/** @throws {UsageError} when a plan uses an operation that the contract does not have */
function assertReplayFits({ contract: recorded, plans }: Replay, contract: Contract): void {
  const ids = new Set(contract.operations.map(({ id }) => id));
  const unknown = plans.flatMap(({ steps }) => steps).find(({ operation }) => !ids.has(operation));
  if (unknown) {
    throw new UsageError(
      `The replay file uses the operation ${unknown.operation}, which ${contract.title} ${contract.version} does not have. ` +
        `The file is for ${recorded.title} ${recorded.version}. Pass that contract, or omit --replay.`,
    );
  }
  if (recorded.title !== contract.title || recorded.version !== contract.version) {
    console.error(`note: the replay file is for ${recorded.title} ${recorded.version}.`);
  }
}

async function save(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, `${text}\n`);
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(
      `The report cannot be written to ${file}: ${reason}. Pass a path in an existing folder.`,
    );
  }
}
