import { ProcessPool } from './process-pool.ts';
import type { Sandbox, SandboxOptions } from './types.ts';

export type { ScriptResult } from './script-process.ts';
export type { Script } from './slots.ts';
export type { Sandbox, SandboxCall, SandboxOptions } from './types.ts';

/** Creates a sandbox. The first call of a script starts its process. */
export const createSandbox = (options: SandboxOptions): Sandbox => new ProcessPool(options);
