import { LRUCache } from 'lru-cache';
import { SandboxError, type SandboxFailure } from './errors.ts';
import {
  MAX_FAILING_PROCESSES,
  MAX_REMEMBERED_FAILURES,
  MAX_SAVED_PROCESSOR_MS,
  MAX_SCRIPT_PROCESSES,
  MAX_SLOW_PROCESSES,
  MAX_WAITING_BYTES,
  MAX_WAITING_CALLS,
  PROCESSOR_MS_PER_SECOND,
  SCRIPT_IDLE_MS,
  SCRIPT_TURN_MS,
  START_PROCESSOR_MS,
} from './limits.ts';
import { ProcessorAllowances, processorTimeOf } from './processor-time.ts';
import { findProgram } from './program.ts';
import type { ScriptProcess, ScriptResult } from './script-process.ts';
import {
  accepts,
  endIfUnused,
  isLeaving,
  isSlow,
  isWaiting,
  keyOf,
  newSlot,
  retireProcess,
  type Script,
  type Slot,
  STOPPING,
  type WaitingCall,
} from './slots.ts';
import type { Sandbox, SandboxCall, SandboxLimits, SandboxOptions } from './types.ts';

/** Interval between readings of the processor time of processes. */
export const PROCESSOR_CHECK_MS = 250;

/** Failures that do not depend on the script. */
const UNRELATED_FAILURES: ReadonlySet<SandboxFailure> = new Set(['busy', 'unavailable', 'aborted']);

/** The processes of scripts. Scripts that wait for one take turns. */
export class ProcessPool implements Sandbox {
  readonly #options: SandboxOptions;
  readonly #limits: SandboxLimits;
  readonly #slots = new Map<string, Slot>();
  readonly #allowances: ProcessorAllowances;
  /** Integrations with a failed last call. */
  readonly #failing = new LRUCache<string, true>({ max: MAX_REMEMBERED_FAILURES });
  #checks: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#limits = {
      processes: MAX_SCRIPT_PROCESSES,
      failingProcesses: MAX_FAILING_PROCESSES,
      idleMs: SCRIPT_IDLE_MS,
      turnMs: SCRIPT_TURN_MS,
      savedProcessorMs: MAX_SAVED_PROCESSOR_MS,
      processorMsPerSecond: PROCESSOR_MS_PER_SECOND,
      ...options.limits,
    };
    const { savedProcessorMs, processorMsPerSecond } = this.#limits;
    this.#allowances = new ProcessorAllowances(savedProcessorMs, processorMsPerSecond);
  }

  get processes(): number {
    return this.#running.length;
  }

  async call(script: Script, { deadlineMs, signal: caller, ...call }: SandboxCall): Promise<ScriptResult> {
    if (this.#closing.signal.aborted) {
      throw STOPPING;
    }
    if (this.#allowances.of(script.owner).isSpent) {
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
        : new SandboxError('timeout', `The script did not respond within ${deadlineMs / 1000} seconds.`);
    return await new Promise<ScriptResult>((resolve, reject) => {
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

  #slotOf(script: Script): Slot {
    const key = keyOf(script);
    const slot = this.#slots.get(key) ?? newSlot(script);
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
      if (isWaiting(slot) && !this.#closing.signal.aborted && this.#hasRoom(slot)) {
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

  /**
   * Returns whether the process of a script can start. Otherwise makes room, unless as many processes are leaving as
   * scripts wait. A slow process leaves its place to another process, and integrations with a failed last call have few
   * places, so that unresponsive scripts only take each other's places.
   */
  #hasRoom({ script: { owner } }: Slot): boolean {
    const { processes, failingProcesses, turnMs } = this.#limits;
    const running = this.#running;
    const isFailing = ({ script }: Slot) => this.#failing.has(script.owner);
    if (this.#failing.has(owner) && running.filter(isFailing).length >= failingProcesses) {
      return false;
    }
    const prompt = running.filter((slot) => !isSlow(slot));
    if (prompt.length < processes && running.length < processes + MAX_SLOW_PROCESSES) {
      return true;
    }
    const waiting = [...this.#slots.values()].filter((slot) => isWaiting(slot) && !isFailing(slot));
    if (prompt.filter(isLeaving).length < Math.max(1, waiting.length)) {
      retireProcess(running, turnMs);
    }
    return false;
  }

  async #start(slot: Slot): Promise<void> {
    slot.startedAt = performance.now();
    slot.processorMs = 0;
    this.#allowances.of(slot.script.owner).spend(START_PROCESSOR_MS);
    try {
      const path = this.#options.program ?? findProgram();
      if (path === undefined) {
        throw new SandboxError(
          'unavailable',
          'This server cannot run scripts: the package of workerd for its system is not installed, or does not exist.',
        );
      }
      const script = await slot.script.load();
      const { ScriptProcess } = await import('./script-process.ts');
      slot.process = await ScriptProcess.start(path, script, {
        ...this.#options,
        signal: this.#closing.signal,
      });
      void slot.process.ended.then(() => this.#removeProcess(slot));
      this.#checks ??= setInterval(() => this.#check(), PROCESSOR_CHECK_MS).unref();
      this.#assign();
      this.#endWhenIdle(slot, slot.process);
    } catch (error) {
      this.#recordFailure(slot, error);
      this.#allowances.of(slot.script.owner).spend(performance.now() - slot.startedAt);
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
      this.#failing.delete(slot.script.owner);
    } catch (error) {
      this.#recordFailure(slot, error);
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

  #recordFailure({ script }: Slot, error: unknown): void {
    if (error instanceof SandboxError && !UNRELATED_FAILURES.has(error.reason)) {
      this.#failing.set(script.owner, true);
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
      const allowance = this.#allowances.of(script.owner);
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
