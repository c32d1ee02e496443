import { SandboxError } from './errors.ts';
import { MAX_CONCURRENT_CALLS, SLOW_CALL_MS } from './limits.ts';
import type { ScriptCall, ScriptProcess, ScriptResult } from './script-process.ts';

/** A version of a script. */
export interface Script {
  /** The integration, which has one allowance of processor time for all versions. */
  owner: string;
  version: number;
  /** Reads the script when its process starts. */
  load(): Promise<Uint8Array>;
}

/** A call that waits for a process. */
export interface WaitingCall extends ScriptCall {
  resolve(response: ScriptResult): void;
  reject(error: unknown): void;
}

/** A script with the calls that wait for it, and its process if it runs. */
export interface Slot {
  script: Script;
  waiting: WaitingCall[];
  /** Number of calls that the process has received and not responded to. */
  active: number;
  /** Number of pending checks for a blocked process, one per failed call. */
  checks: number;
  /** Resolves when the process has started, or failed to; undefined if none runs or starts. */
  started: Promise<void> | undefined;
  process: ScriptProcess | undefined;
  startedAt: number;
  /** Time of the last call. */
  usedAt: number;
  /** Whether the process accepts no more calls. */
  isDraining: boolean;
  /** Processor time of the process when it was last read. */
  processorMs: number;
  idle: NodeJS.Timeout | undefined;
}

/** Identifies a version of a script. */
export const keyOf = ({ owner, version }: Script): string => `${owner}@${version}`;

export const newSlot = (script: Script): Slot => ({
  script,
  waiting: [],
  active: 0,
  checks: 0,
  started: undefined,
  process: undefined,
  startedAt: 0,
  usedAt: 0,
  isDraining: false,
  processorMs: 0,
  idle: undefined,
});

/** Returns whether the process of a slot accepts another call. */
export const accepts = ({ active, checks, isDraining }: Slot, process: ScriptProcess): boolean =>
  active < MAX_CONCURRENT_CALLS && checks === 0 && !isDraining && !process.isEnding;

/** Returns whether a script waits for its process to start. */
export const isWaiting = ({ waiting, started }: Slot): boolean => waiting.length > 0 && !started;

/** Returns whether the process of a slot has calls and has not responded to any of them for some time. */
export const isSlow = ({ process, active, usedAt }: Slot): boolean =>
  process !== undefined && active > 0 && performance.now() - usedAt >= SLOW_CALL_MS;

/** Returns whether the process of a slot makes room for another one. */
export const isLeaving = ({ process, isDraining }: Slot): boolean => isDraining || process?.isEnding === true;

export const STOPPING = new SandboxError('busy', 'The server is stopping.');

/** Ends the process of a slot if it has no calls. */
export function endIfUnused({ active, process }: Slot): void {
  if (active === 0) {
    process?.end(STOPPING);
  }
}

/**
 * Frees a slot for another process: ends the one that was unused for the longest time, or drains the one that started
 * first, if its turn is over.
 */
export function retireProcess(running: readonly Slot[], turnMs: number): void {
  const [unused] = running
    .filter((slot) => slot.process && slot.active === 0 && slot.waiting.length === 0 && !isLeaving(slot))
    .sort((one, other) => one.usedAt - other.usedAt);
  if (unused) {
    unused.process?.end(STOPPING);
    return;
  }
  const [longest] = running
    .filter((slot) => slot.process && !isLeaving(slot))
    .sort((one, other) => one.startedAt - other.startedAt);
  if (longest && performance.now() - longest.startedAt >= turnMs) {
    longest.isDraining = true;
    endIfUnused(longest);
  }
}
