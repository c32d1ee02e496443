import type { ProxyOptions } from './proxy.ts';
import type { ScriptCall, ScriptResult } from './script-process.ts';
import type { Script } from './slots.ts';

/** A call of a script, with its limits. */
export interface SandboxCall extends Pick<ScriptCall, 'message' | 'maxResponseBytes' | 'awaitsBackground'> {
  deadlineMs: number;
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
}

/** Overrides of the default limits. */
export interface SandboxLimits {
  processes: number;
  failingProcesses: number;
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
   * Sends a message to a script, and returns its response.
   *
   * @throws SandboxError if there is no complete response
   */
  call(script: Script, call: SandboxCall): Promise<ScriptResult>;
  /** Number of processes. */
  readonly processes: number;
  /** Ends all processes. Calls fail. */
  close(): Promise<void>;
}
