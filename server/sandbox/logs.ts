import type { Readable } from 'node:stream';
import {
  LOG_BYTES_PER_SECOND,
  MAX_LOG_CHARACTERS,
  MAX_LOG_ENTRIES,
  MAX_LOG_LINE_CHARACTERS,
} from './limits.ts';

/** An entry in the log of a script. */
export interface LogEntry {
  message: string;
  /** Time of the entry (RFC 3339). */
  timestamp: string;
  level: 'debug' | 'info' | 'warn' | 'error';
}

/** The log of a call, which is bounded. */
export class CallLog {
  readonly entries: LogEntry[] = [];
  #characters = 0;

  add(entry: LogEntry): void {
    const remaining = MAX_LOG_CHARACTERS - this.#characters;
    if (this.entries.length < MAX_LOG_ENTRIES && remaining > 0) {
      const message = entry.message.slice(0, remaining);
      this.#characters += message.length;
      this.entries.push({ ...entry, message });
    }
  }
}

/** A line of the output of a process. */
export type OutputLine =
  | { kind: 'entry'; call: string; entry: LogEntry }
  | { kind: 'end'; call: string }
  /** A message of the program itself, such as an error of the script when it starts. */
  | { kind: 'message'; text: string };

/** ID of the log of the global scope of a script, which `worker/console.js` uses. */
export const STARTUP = 'startup';

const ENTRY = /^(?<call>[\w-]{1,64}) (?<level>debug|info|warn|error) (?<message>[\s\S]*)$/;
const END = /^(?<call>[\w-]{1,64}) end$/;

/** Parses a line of the output. */
export function parseLine(line: string, now: Date): OutputLine {
  const { message, timestamp, source } = fieldsOf(line);
  if (message === undefined || source !== undefined) {
    return { kind: 'message', text: message ?? line };
  }
  const end = END.exec(message)?.groups;
  if (end?.call !== undefined) {
    return { kind: 'end', call: end.call };
  }
  const entry = ENTRY.exec(message)?.groups;
  if (!entry) {
    return { kind: 'message', text: message };
  }
  const { call = '', level, message: text = '' } = entry;
  // The clock of the runtime is at zero in the global scope.
  const time = typeof timestamp === 'number' && timestamp > 0 ? new Date(timestamp) : now;
  return {
    kind: 'entry',
    call,
    // One of the levels of the pattern.
    entry: { message: text, timestamp: time.toISOString(), level: level as LogEntry['level'] },
  };
}

function fieldsOf(line: string): { message?: string; timestamp?: unknown; source?: unknown } {
  try {
    const fields: unknown = JSON.parse(line);
    if (typeof fields === 'object' && fields !== null && 'message' in fields) {
      const { message, timestamp, source } = fields as Record<string, unknown>;
      return typeof message === 'string' ? { message, timestamp, source } : {};
    }
  } catch {
    // A line of another format, such as that of a fatal error.
  }
  return {};
}

/** Calls a function for each line of a stream, at a bounded rate: the writer waits meanwhile. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  let isTooLong = false;
  let windowStart = performance.now();
  let bytes = 0;
  stream.setEncoding('utf8');
  stream.on('error', () => {});
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const [at, line] of lines.entries()) {
      if (!(at === 0 && isTooLong) && line.length <= MAX_LOG_LINE_CHARACTERS) {
        onLine(line);
      }
    }
    isTooLong = (isTooLong && lines.length === 0) || rest.length > MAX_LOG_LINE_CHARACTERS;
    if (isTooLong) {
      rest = '';
    }
    const now = performance.now();
    if (now - windowStart >= 1000) {
      windowStart = now;
      bytes = 0;
    }
    bytes += text.length;
    if (bytes > LOG_BYTES_PER_SECOND) {
      stream.pause();
      setTimeout(() => stream.resume(), windowStart + 1000 - now).unref();
    }
  });
}
