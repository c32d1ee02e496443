import { readFile, writeFile } from 'node:fs/promises';
import { BadInput } from '../../bad-input.ts';
import { isObject, type Json } from '../../document.ts';
import { parseData } from '../../source.ts';
import type { Contract } from '../contract/contract.ts';
import type { Caller, Plan } from '../plan/plan.ts';
import type { Outcome } from './finding.ts';

/** The version of the form of replay files. */
const VERSION = 1;

/** The plans of an earlier run's failures. */
export interface Replay {
  /** The contract that they were made for. */
  contract: { title: string; version: string };
  seed: number;
  plans: Plan[];
}

/** Writes the plans of what a run found, to be run again. */
export async function writeReplay(file: string, outcome: Outcome, contract: Contract): Promise<void> {
  const { title, version } = contract;
  const plans = outcome.findings.map(({ plan }) => plan);
  const content = { version: VERSION, contract: { title, version }, seed: outcome.seed, plans };
  try {
    await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
  } catch (error) {
    throw new BadInput(
      `The replay file ${file} cannot be written: ${reasonOf(error)}. Give another path, or leave it out.`,
    );
  }
}

/**
 * Reads the plans of an earlier run.
 * @throws {BadInput} when the file cannot be read or holds no plans
 */
export async function readReplay(file: string): Promise<Replay> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new BadInput(
      `The replay file ${file} cannot be read: ${reasonOf(error)}. Give the path of one that a run saved.`,
    );
  }
  const content = parseData(file, text);
  const unusable = (why: string) =>
    new BadInput(`${file} is no usable replay file: ${why}. Let a run write it: --save-replay FILE.`);
  if (!isObject(content)) throw unusable('it holds no object');
  if (content.version !== VERSION)
    throw unusable(`its version is ${JSON.stringify(content.version) ?? 'missing'}, not ${VERSION}`);
  const { contract, seed, plans } = content;
  if (!isObject(contract) || typeof contract.title !== 'string' || typeof contract.version !== 'string')
    throw unusable('it does not name its contract');
  if (typeof seed !== 'number') throw unusable('it has no seed');
  if (!Array.isArray(plans)) throw unusable('it has no plans');
  for (const [place, plan] of plans.entries()) {
    const why = wrongWithPlan(plan);
    if (why) throw unusable(`in plan ${place + 1} ${why}`);
  }
  // Every part of the plans was looked at.
  return {
    contract: { title: contract.title, version: contract.version },
    seed,
    plans: plans as unknown as Plan[],
  };
}

const CALLERS: Record<Caller, true> = {
  own: true,
  second: true,
  nobody: true,
  malformed: true,
  unknown: true,
};

function wrongWithPlan(plan: Json): string | undefined {
  if (!isObject(plan) || typeof plan.title !== 'string' || !Array.isArray(plan.steps))
    return 'there is no title or no list of steps';
  for (const [place, step] of plan.steps.entries()) {
    const why = isObject(step) ? wrongWithStep(step, place) : 'is no object';
    if (why) return `step ${place + 1} ${why}`;
  }
  return undefined;
}

function wrongWithStep(step: { [name: string]: Json }, place: number): string | undefined {
  const isValue = (value: Json | undefined): boolean =>
    typeof value === 'string' ||
    (isObject(value) &&
      typeof value.step === 'number' &&
      value.step < place &&
      typeof value.from === 'string');
  const isPairs = (pairs: Json | undefined): boolean =>
    Array.isArray(pairs) &&
    pairs.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && isValue(pair[1]));
  if (typeof step.operation !== 'string') return 'names no operation';
  if (typeof step.caller !== 'string' || !Object.hasOwn(CALLERS, step.caller)) return 'has no known caller';
  if (!isObject(step.path) || !Object.values(step.path).every(isValue)) return 'has no usable path';
  if (!isPairs(step.query)) return 'has no usable query';
  if (!isPairs(step.headers)) return 'has no usable headers';
  if (step.body !== undefined && !isBody(step.body, isValue)) return 'has no usable body';
  if (step.fault !== undefined && !isFault(step.fault)) return 'has no usable fault';
  return undefined;
}

function isBody(body: Json, isValue: (value: Json | undefined) => boolean): boolean {
  if (!isObject(body) || typeof body.mediaType !== 'string') return false;
  if (typeof body.text === 'string' || typeof body.base64 === 'string') return true;
  return (
    body.json !== undefined &&
    Array.isArray(body.references) &&
    body.references.every((one) => isObject(one) && Array.isArray(one.at) && isValue(one.value))
  );
}

const KINDS = new Set<unknown>(['input', 'media-type', 'method', 'authentication', 'undeclared']);

const isFault = (fault: Json): boolean =>
  isObject(fault) &&
  typeof fault.name === 'string' &&
  KINDS.has(fault.kind) &&
  (fault.method === undefined || typeof fault.method === 'string') &&
  areTexts(fault.rawPath) &&
  areTexts(fault.rawQuery);

const areTexts = (texts: Json | undefined): boolean =>
  texts === undefined || (isObject(texts) && Object.values(texts).every((one) => typeof one === 'string'));

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file or folder';
  return error instanceof Error ? error.message : String(error);
}
