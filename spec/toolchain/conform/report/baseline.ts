import { readFile, writeFile } from 'node:fs/promises';
import { messageOf } from '../../../../server/contract/errors.ts';
import { isObject, type Json } from '../../document.ts';
import { UsageError } from '../../usage-error.ts';
import type { Finding, KnownFailure, Outcome } from './finding.ts';

/** The failures of an earlier run. */
export interface Baseline {
  failures: readonly KnownFailure[];
}

/** Version of the format of the file. */
const VERSION = 1;

/** Reads a baseline; returns undefined if the file does not exist. @throws {UsageError} if it is not a baseline */
export async function readBaseline(file: string): Promise<Baseline | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return undefined;
    }
    throw invalid(file, messageOf(error));
  }
  const json = parsed(file, text);
  if (!isObject(json) || json.version !== VERSION || !Array.isArray(json.failures)) {
    throw invalid(file, `it has no version ${VERSION} with a list of failures`);
  }
  return {
    failures: json.failures.map((entry, at) => {
      const { check, operation, cause, message } = isObject(entry) ? entry : {};
      if (
        typeof check !== 'string' ||
        typeof operation !== 'string' ||
        typeof cause !== 'string' ||
        typeof message !== 'string'
      ) {
        throw invalid(file, `failure ${at + 1} has no check, operation, cause or message`);
      }
      return { check, operation, cause, message };
    }),
  };
}

/** Writes the failures of a run as the baseline of later ones. @throws {UsageError} if the file cannot be written */
export async function writeBaseline(file: string, { findings }: Outcome): Promise<void> {
  const failures = findings
    .map(({ check, operation, cause, message }): KnownFailure => ({ check, operation, cause, message }))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  try {
    await writeFile(file, `${JSON.stringify({ version: VERSION, failures }, null, 2)}\n`);
  } catch (error) {
    throw new UsageError(
      `The baseline cannot be written to ${file}: ${messageOf(error)}. Pass a path in an existing folder.`,
    );
  }
}

/** Separates the known failures of an outcome from new ones, and adds those that did not occur any more. */
export function withBaseline(outcome: Outcome, { failures }: Baseline): Outcome {
  const known = new Set(failures.map(keyOf));
  const found = new Set(outcome.findings.map(keyOf));
  const tested = new Set(
    outcome.coverage.filter(({ state }) => state === 'tested').map(({ operation }) => operation),
  );
  return {
    ...outcome,
    findings: outcome.findings.filter((finding) => !known.has(keyOf(finding))),
    known: outcome.findings.filter((finding) => known.has(keyOf(finding))),
    vanished: failures.filter((failure) => !found.has(keyOf(failure)) && tested.has(failure.operation)),
  };
}

/** Describes a failure in one line. */
export const knownLine = ({ operation, check, message }: KnownFailure | Finding): string =>
  `${operation}: ${check}: ${message}`;

const keyOf = ({ check, cause }: Pick<KnownFailure, 'check' | 'cause'>): string => `${check}\n${cause}`;

function parsed(file: string, text: string): Json {
  try {
    // The parser returns only JSON values.
    return JSON.parse(text) as Json;
  } catch (error) {
    throw invalid(file, messageOf(error));
  }
}

const invalid = (file: string, reason: string): UsageError =>
  new UsageError(
    `${file} is not a baseline: ${reason}. Delete it, and run again to write the failures of that run.`,
  );
