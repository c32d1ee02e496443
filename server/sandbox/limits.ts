/** Limits of the scripts of integrations. */

import type { ProgramLimits } from '../programs/limits.ts';

/** Maximum number of processes of scripts per process of the server, without those that are slow. */
export const MAX_SCRIPT_PROCESSES = 16;
/** Maximum number of slow processes besides these. */
export const MAX_SLOW_PROCESSES = 16;
/** Maximum number of processes of integrations with a failed last call. */
export const MAX_FAILING_PROCESSES = 8;
/** Maximum number of integrations with a failed last call that a process remembers. */
export const MAX_REMEMBERED_FAILURES = 10_000;
/** Minimum age of the last call of an unresponsive process to count as slow, so that another process may start. */
export const SLOW_CALL_MS = 1000;
/** Maximum number of calls that a script receives at once. */
export const MAX_CONCURRENT_CALLS = 8;
/** Maximum number of calls that wait for a script. */
export const MAX_WAITING_CALLS = 64;
/** Maximum size of the calls that wait for a script. */
export const MAX_WAITING_BYTES = 33_554_432;
/** Time without calls before the process of a script ends, along with its background work. */
export const SCRIPT_IDLE_MS = 30_000;
/** Time before the process of a script accepts no more calls, if other scripts wait for a process. */
export const SCRIPT_TURN_MS = 3000;
/** Maximum time for the start of a script: its compilation and its global scope. */
export const SCRIPT_START_MS = 10_000;
/** Maximum time that a script blocks its process after a call has ended without a response. */
export const SCRIPT_BLOCKED_MS = 1000;
/** Maximum time for the end of a log after the response. */
export const LOG_END_MS = 1000;

/** Maximum size of the objects of a script. */
export const MAX_HEAP_BYTES = 134_217_728;
/**
 * Limits of the process of a script. Of its data (Linux), the program reserves about 540 MiB. It writes no files, and its
 * processor time is limited by the allowance of its integration, because it has no maximum lifetime. Its address space
 * is not limited: V8 reserves about 14 GB, and more for WebAssembly.
 */
export const SCRIPT_PROGRAM_LIMITS: Readonly<
  Required<Pick<ProgramLimits, 'dataBytes' | 'descriptors' | 'fileBytes' | 'stackBytes'>>
> = {
  dataBytes: 805_306_368,
  descriptors: 256,
  fileBytes: 0,
  stackBytes: 2_097_152,
};

/** Maximum processor time that a script saves up (Linux). */
export const MAX_SAVED_PROCESSOR_MS = 30_000;
/** Processor time that a script may use per second on average (Linux). */
export const PROCESSOR_MS_PER_SECOND = 250;
/** Processor time that is charged for the start of a process. */
export const START_PROCESSOR_MS = 150;

/** Maximum number of log entries of a call. */
export const MAX_LOG_ENTRIES = 500;
/** Maximum number of characters that a call logs. */
export const MAX_LOG_CHARACTERS = 65_536;
/** Maximum length of a line that a process writes. Longer lines are dropped. */
export const MAX_LOG_LINE_CHARACTERS = 65_536;
/** Number of output bytes that are read from a process per second. A script that writes more waits. */
export const LOG_BYTES_PER_SECOND = 1_048_576;

/** Maximum number of concurrent requests of a script. */
export const MAX_SCRIPT_REQUESTS = 32;
/** Maximum number of requests of a script per minute. */
export const MAX_SCRIPT_REQUESTS_PER_MINUTE = 1000;
/** Maximum time of a request of a script, including its body and the response. */
export const SCRIPT_REQUEST_MS = 60_000;
/** Maximum size of the body of a request of a script. */
export const MAX_SCRIPT_REQUEST_BYTES = 16_777_216;
/** Maximum size of the response to a request of a script. */
export const MAX_SCRIPT_RESPONSE_BYTES = 33_554_432;
