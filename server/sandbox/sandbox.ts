import { LRUCache } from 'lru-cache';
import { SandboxError } from './errors.ts';
import {
  MAX_CONCURRENT_CALLS,
  MAX_SAVED_PROCESSOR_MS,
  MAX_SCRIPT_PROCESSES,
  MAX_WAITING_BYTES,
  MAX_WAITING_CALLS,
  PROCESSOR_MS_PER_SECOND,
  SCRIPT_IDLE_MS,
  SCRIPT_TURN_MS,
  START_PROCESSOR_MS,
} from './limits.ts';
import { ProcessorAllowance, processorTimeOf } from './processor-time.ts';
import { findProgram } from './program.ts';
import type { ProxyOptions } from './proxy.ts';
import { type ScriptAnswer, type ScriptCall, ScriptProcess } from './script-process.ts';

export type { ScriptAnswer } from './script-process.ts';

/** A version of a script. */
export interface Script {
  /** The integration, which has one allowance of processor time for all versions. */
  owner: string;
  version: number;
  /** Reads the script when its process starts. */
  load(): Promise<Uint8Array>;
}

/** A call of a script, with its limits. */
export interface SandboxCall extends Pick<ScriptCall, 'message' | 'maxAnswerBytes' | 'awaitsBackground'> {
  deadlineMs: number;
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
}

/** Overrides of limits, for tests. */
export interface SandboxLimits {
  processes: number;
  idleMs: number;
  turnMs: number;
  savedProcessorMs: number;
  processorMsPerSecond: number;
}

export interface SandboxOptions extends ProxyOptions {
  clock: () => Date;
  limits?: Partial<SandboxLimits> | undefined;
  /** Path of the program. By default that of the installed package. */
  program?: string | undefined;
}

/** Runs scripts of integrations, each version in a process of its own. */
export interface Sandbox {
  /**
   * Sends a message to a script, and returns its answer.
   *
   * @throws SandboxError if there is no complete answer
   */
  call(script: Script, call: SandboxCall): Promise<ScriptAnswer>;
  /** Number of processes. */
  readonly processes: number;
  /** Ends all processes. Calls fail. */
  close(): Promise<void>;
}

/** Creates a sandbox. The first call of a script starts its process. */
export const createSandbox = (options: SandboxOptions): Sandbox => new ProcessPool(options);

/** Interval at which the processor time of processes is read. */
export const PROCESSOR_CHECK_MS = 250;
/** Maximum number of integrations whose processor time is remembered. */
export const MAX_REMEMBERED_ALLOWANCES = 10_000;

/** A call that waits for a process. */
interface WaitingCall extends ScriptCall {
  resolve(answer: ScriptAnswer): void;
  reject(error: unknown): void;
}

/** A script with the calls that wait for it, and its process if it runs. */
interface Slot {
  script: Script;
  waiting: WaitingCall[];
  /** Number of calls that the process has received and not answered. */
  active: number;
  /** Number of failed calls after which it is not known yet whether the process is blocked. */
  checks: number;
  /** Resolves when the process has started, or failed to; undefined if none runs or starts. */
  started: Promise<void> | undefined;
  process: ScriptProcess | undefined;
  startedAt: number;
  usedAt: number;
  /** Whether the process accepts no more calls. */
  isDraining: boolean;
  /** Processor time of the process when it was last read. */
  processorMs: number;
  idle: NodeJS.Timeout | undefined;
}

const STOPPING = new SandboxError('busy', 'The server is stopping.');

class ProcessPool implements Sandbox {
  readonly #options: SandboxOptions;
  readonly #limits: SandboxLimits;
  readonly #slots = new Map<string, Slot>();
  readonly #allowances = new LRUCache<string, ProcessorAllowance>({ max: MAX_REMEMBERED_ALLOWANCES });
  #checks: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#limits = {
      processes: MAX_SCRIPT_PROCESSES,
      idleMs: SCRIPT_IDLE_MS,
      turnMs: SCRIPT_TURN_MS,
      savedProcessorMs: MAX_SAVED_PROCESSOR_MS,
      processorMsPerSecond: PROCESSOR_MS_PER_SECOND,
      ...options.limits,
    };
  }

  get processes(): number {
    return this.#running.length;
  }

  async call(script: Script, { deadlineMs, signal: caller, ...call }: SandboxCall): Promise<ScriptAnswer> {
    if (this.#closing.signal.aborted) {
      throw STOPPING;
    }
    if (this.#allowanceOf(script).isSpent) {
      throw new SandboxError('busy', 'The script has used its processor time. Try again later.');
    }
    const { waiting } = this.#slotOf(script);
    const bytes = waiting.reduce((sum, { message }) => sum + message.body.byteLength, 0);
    if (waiting.length >= MAX_WAITING_CALLS || bytes > MAX_WAITING_BYTES) {
      throw new SandboxError('busy', 'Too many calls are waiting for the script. Try again later.');
    }
    const deadline = AbortSignal.timeout(deadlineMs);
    const signal = caller ? AbortSignal.any([deadline, caller]) : deadline;
    const failureOfSignal = () =>
      caller?.aborted
        ? new SandboxError('aborted', 'The call was aborted.')
        : new SandboxError('timeout', `The script did not answer within ${deadlineMs / 1000} seconds.`);
    return await new Promise<ScriptAnswer>((resolve, reject) => {
      const added: WaitingCall = { ...call, signal, failureOfSignal, resolve, reject };
      waiting.push(added);
      signal.addEventListener('abort', () => this.#withdraw(script, added), { once: true });
      this.#assign();
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#checks);
    for (const { waiting } of this.#slots.values()) {
      for (const { reject } of waiting.splice(0)) {
        reject(STOPPING);
      }
    }
    await Promise.all(
      this.#running.map(async (slot) => {
        await slot.started;
        slot.process?.end(STOPPING);
        await slot.process?.ended;
      }),
    );
  }

  get #running(): Slot[] {
    return [...this.#slots.values()].filter(({ started }) => started !== undefined);
  }

  #allowanceOf({ owner }: Script): ProcessorAllowance {
    const { savedProcessorMs, processorMsPerSecond } = this.#limits;
    const allowance =
      this.#allowances.get(owner) ?? new ProcessorAllowance(savedProcessorMs, processorMsPerSecond);
    this.#allowances.set(owner, allowance);
    return allowance;
  }

  #slotOf(script: Script): Slot {
    const key = keyOf(script);
    const slot = this.#slots.get(key) ?? {
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
    };
    this.#slots.set(key, slot);
    return slot;
  }

  /** Rejects a call that was aborted while it waited. */
  #withdraw(script: Script, { failureOfSignal, reject }: WaitingCall): void {
    const slot = this.#slots.get(keyOf(script));
    const at = slot?.waiting.findIndex((call) => call.reject === reject) ?? -1;
    if (slot && at >= 0) {
      slot.waiting.splice(at, 1);
      const failure = failureOfSignal();
      const isStarting = slot.started && !slot.process;
      reject(
        failure.reason === 'timeout' && !isStarting
          ? new SandboxError('busy', 'The script was busy until the deadline.')
          : failure,
      );
      this.#removeIfUnused(slot);
    }
  }

  /** Passes waiting calls on to processes, and starts processes. */
  #assign(): void {
    for (const slot of this.#slots.values()) {
      if (slot.waiting.length > 0 && !slot.started && !this.#closing.signal.aborted && this.#makeRoom()) {
        slot.started = this.#start(slot);
      }
      while (slot.process && accepts(slot, slot.process)) {
        const next = slot.waiting.shift();
        if (!next) {
          break;
        }
        void this.#run(slot, slot.process, next);
      }
    }
  }

  /** Returns whether a process can start. Otherwise ends one that is idle, or drains the one that started first. */
  #makeRoom(): boolean {
    const running = this.#running;
    if (running.length < this.#limits.processes) {
      return true;
    }
    if (running.some(({ process, isDraining }) => isDraining || process?.isEnding)) {
      return false;
    }
    const idle = running.filter(
      ({ process, active, waiting }) => process && active === 0 && waiting.length === 0,
    );
    const [unused] = idle.sort((one, other) => one.usedAt - other.usedAt);
    const [longest] = running.sort((one, other) => one.startedAt - other.startedAt);
    if (unused) {
      unused.process?.end(STOPPING);
    } else if (longest?.process && performance.now() - longest.startedAt >= this.#limits.turnMs) {
      longest.isDraining = true;
      endIfUnused(longest);
    }
    return false;
  }

  async #start(slot: Slot): Promise<void> {
    slot.startedAt = performance.now();
    slot.processorMs = 0;
    this.#allowanceOf(slot.script).spend(START_PROCESSOR_MS);
    try {
      const path = this.#options.program ?? findProgram();
      if (path === undefined) {
        throw new SandboxError(
          'unavailable',
          'This server cannot run scripts: the package of workerd for its system is not installed, or does not exist.',
        );
      }
      const script = await slot.script.load();
      slot.process = await ScriptProcess.start(path, script, {
        ...this.#options,
        signal: this.#closing.signal,
      });
      void slot.process.ended.then(() => this.#removeProcess(slot));
      this.#checks ??= setInterval(() => this.#check(), PROCESSOR_CHECK_MS).unref();
      this.#assign();
      this.#endWhenIdle(slot, slot.process);
    } catch (error) {
      this.#allowanceOf(slot.script).spend(performance.now() - slot.startedAt);
      for (const { reject } of slot.waiting.splice(0)) {
        reject(error);
      }
      this.#removeProcess(slot);
    }
  }

  async #run(slot: Slot, process: ScriptProcess, { resolve, reject, ...call }: WaitingCall): Promise<void> {
    slot.active += 1;
    slot.usedAt = performance.now();
    clearTimeout(slot.idle);
    try {
      resolve(await process.call(call));
    } catch (error) {
      slot.checks += 1;
      reject(error);
      await process.endIfBlocked();
      slot.checks -= 1;
    } finally {
      slot.active -= 1;
      if (slot.isDraining) {
        endIfUnused(slot);
      }
      this.#endWhenIdle(slot, process);
      this.#assign();
    }
  }

  #endWhenIdle(slot: Slot, process: ScriptProcess): void {
    if (slot.active === 0 && slot.process === process) {
      clearTimeout(slot.idle);
      slot.idle = setTimeout(() => process.end(STOPPING), this.#limits.idleMs).unref();
    }
  }

  /** Charges the processor time of all processes, and ends those of scripts that have used up theirs. */
  #check(): void {
    for (const slot of this.#running) {
      const { process, script } = slot;
      const used = process?.pid === undefined ? undefined : processorTimeOf(process.pid);
      const allowance = this.#allowanceOf(script);
      if (process && used !== undefined) {
        allowance.spend(used - slot.processorMs);
        slot.processorMs = used;
        if (allowance.isSpent) {
          process.end(new SandboxError('processor', 'The script has used its processor time.'));
        }
      }
    }
    this.#assign();
  }

  #removeProcess(slot: Slot): void {
    clearTimeout(slot.idle);
    slot.started = undefined;
    slot.process = undefined;
    slot.isDraining = false;
    // Scripts that wait take turns.
    this.#slots.delete(keyOf(slot.script));
    this.#slots.set(keyOf(slot.script), slot);
    this.#removeIfUnused(slot);
    if (this.#running.length === 0) {
      clearInterval(this.#checks);
      this.#checks = undefined;
    }
    this.#assign();
  }

  #removeIfUnused(slot: Slot): void {
    if (!slot.started && slot.waiting.length === 0) {
      this.#slots.delete(keyOf(slot.script));
    }
  }
}

const keyOf = ({ owner, version }: Script): string => `${owner}@${version}`;

const accepts = ({ active, checks, isDraining }: Slot, process: ScriptProcess): boolean =>
  active < MAX_CONCURRENT_CALLS && checks === 0 && !isDraining && !process.isEnding;

function endIfUnused({ active, process }: Slot): void {
  if (active === 0) {
    process?.end(STOPPING);
  }
}
