import { readFile, writeFile } from 'node:fs/promises';
import { messageOf } from '../../../../server/contract/errors.ts';
import { isObject, type Json } from '../../document.ts';
import { parseData } from '../../documents/parse.ts';
import type { Contract } from '../../model/contract/contract.ts';
import type { Caller, Plan } from '../../model/plan/plan.ts';
import { UsageError } from '../../usage-error.ts';
import type { Outcome } from './finding.ts';

/** Format version of replay files. */
const FORMAT_VERSION = 1;

/** Plans of the failures of an earlier run. */
export interface Replay {
  /** Contract of the earlier run. */
  contract: { title: string; version: string };
  seed: number;
  plans: Plan[];
}

/** Writes the plans of the findings to a replay file. */
export async function writeReplay(file: string, outcome: Outcome, contract: Contract): Promise<void> {
  const { title, version } = contract;
  const plans = outcome.findings.map(({ plan }) => plan);
  const content = { version: FORMAT_VERSION, contract: { title, version }, seed: outcome.seed, plans };
  try {
    await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
  } catch (error) {
    throw new UsageError(
      `The replay file ${file} cannot be written: ${reasonOf(error)}. Pass another path, or omit the option.`,
    );
  }
}

/**
 * Reads a replay file.
 * @throws {UsageError} when the file cannot be read or is invalid
 */
export async function readReplay(file: string): Promise<Replay> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `The replay file ${file} cannot be read: ${reasonOf(error)}. Pass the path of a file that a run saved.`,
    );
  }
  const content = parseData(file, text);
  const invalidFile = (reason: string) =>
    new UsageError(`${file} is not a valid replay file: ${reason}. Create one with --save-replay FILE.`);
  if (!isObject(content)) {
    throw invalidFile('it is not an object');
  }
  if (content.version !== FORMAT_VERSION) {
    throw invalidFile(
      `its version is ${JSON.stringify(content.version) ?? 'missing'}, not ${FORMAT_VERSION}`,
    );
  }
  const { contract, seed, plans } = content;
  if (!isObject(contract) || typeof contract.title !== 'string' || typeof contract.version !== 'string') {
    throw invalidFile('it has no contract');
  }
  if (typeof seed !== 'number') {
    throw invalidFile('it has no seed');
  }
  if (!Array.isArray(plans)) {
    throw invalidFile('it has no plans');
  }
  for (const [index, plan] of plans.entries()) {
    const reason = planError(plan);
    if (reason) {
      throw invalidFile(`plan ${index + 1}: ${reason}`);
    }
  }
  // The cast is safe, because every part of the plans was checked.
  return {
    contract: { title: contract.title, version: contract.version },
    seed,
    plans: plans as unknown as Plan[],
  };
}

const CALLERS: Record<Caller, true> = {
  own: true,
  second: true,
  anonymous: true,
  malformed: true,
  unknown: true,
};

function planError(plan: Json): string | undefined {
  if (!isObject(plan) || typeof plan.title !== 'string' || !Array.isArray(plan.steps)) {
    return 'the title or the list of steps is missing';
  }
  for (const [index, step] of plan.steps.entries()) {
    const reason = isObject(step) ? stepError(step, index) : 'is not an object';
    if (reason) {
      return `step ${index + 1} ${reason}`;
    }
  }
  return undefined;
}

function stepError(step: { [name: string]: Json }, index: number): string | undefined {
  const isValue = (value: Json | undefined): boolean =>
    typeof value === 'string' ||
    (isObject(value) &&
      typeof value.step === 'number' &&
      value.step < index &&
      typeof value.from === 'string');
  const isPairs = (pairs: Json | undefined): boolean =>
    Array.isArray(pairs) &&
    pairs.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && isValue(pair[1]));
  if (typeof step.operation !== 'string') {
    return 'has no operation';
  }
  if (typeof step.caller !== 'string' || !Object.hasOwn(CALLERS, step.caller)) {
    return 'has an unknown caller';
  }
  if (!isObject(step.path) || !Object.values(step.path).every(isValue)) {
    return 'has an invalid path';
  }
  if (!isPairs(step.query)) {
    return 'has an invalid query';
  }
  if (!isPairs(step.headers)) {
    return 'has invalid headers';
  }
  if (step.body !== undefined && !isBody(step.body, isValue)) {
    return 'has an invalid body';
  }
  if (step.fault !== undefined && !isFault(step.fault)) {
    return 'has an invalid fault';
  }
  return undefined;
}

function isBody(body: Json, isValue: (value: Json | undefined) => boolean): boolean {
  if (!isObject(body) || typeof body.mediaType !== 'string') {
    return false;
  }
  if (typeof body.text === 'string' || typeof body.base64 === 'string') {
    return true;
  }
  return (
    body.json !== undefined &&
    Array.isArray(body.references) &&
    body.references.every(
      (reference) => isObject(reference) && Array.isArray(reference.at) && isValue(reference.value),
    )
  );
}

const FAULT_KINDS = new Set<unknown>(['input', 'media-type', 'method', 'authentication', 'undeclared']);

const isFault = (fault: Json): boolean =>
  isObject(fault) &&
  typeof fault.name === 'string' &&
  FAULT_KINDS.has(fault.kind) &&
  (fault.method === undefined || typeof fault.method === 'string') &&
  isStringMap(fault.rawPath) &&
  isStringMap(fault.rawQuery);

const isStringMap = (map: Json | undefined): boolean =>
  map === undefined || (isObject(map) && Object.values(map).every((text) => typeof text === 'string'));

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') {
    return 'no such file or folder';
  }
  return messageOf(error);
}
