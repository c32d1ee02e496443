import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';

/** Names of fields that can contain secrets. */
const SECRETS = ['authorization', 'token', 'password', 'secret', 'secretKey', 'cookie'];

/**
 * Creates the log of a process: JSON lines, or text in a terminal. Secrets are omitted.
 *
 * @param options.descriptor file descriptor to write to; default: standard error
 * @param options.fields returns further fields of a line
 */
export function createLog(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  { descriptor = 2, fields }: { descriptor?: number; fields?: (() => object) | undefined } = {},
): Logger {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const isTerminal = isatty(descriptor);
  const format = logFormat ?? (isTerminal ? 'text' : 'json');
  const output = pino.destination(descriptor);
  const lines: DestinationStream & { flushSync(): void } = {
    write: (line) => output.write(formatLine(line, isTerminal)),
    // The logger calls it before a process ends because of a fatal error.
    flushSync: () => output.flushSync(),
  };
  return pino(
    {
      level: logLevel,
      redact: { paths, censor: '[redacted]' },
      ...(fields && { mixin: fields }),
    },
    format === 'text' ? lines : output,
  );
}

/** Styles of levels that need attention. */
const STYLES = { WARN: 'yellow', ERROR: 'red', FATAL: 'red' } as const;

/**
 * Formats a line of JSON as text: time, level, message and fields, then the stack of an error.
 *
 * @param hasColors whether levels are colored, unless `NO_COLOR` is set
 */
export function formatLine(line: string, hasColors: boolean): string {
  // The logger wrote it, and passes one line at a time.
  const { time, level, msg, pid: _pid, hostname: _hostname, err, ...fields } = JSON.parse(line) as LogLine;
  const label = (pino.levels.labels[level] ?? String(level)).toUpperCase();
  const style = Object.entries(STYLES).find(([name]) => name === label)?.[1];
  const padded = label.padEnd(5);
  const values = Object.entries({ ...fields, ...(typeof err === 'object' ? {} : { err }) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${formatValue(value)}`);
  const parts = [
    new Date(time).toTimeString().slice(0, 8),
    style && hasColors ? styleText(style, padded, { stream: process.stderr }) : padded,
    printable(msg ?? ''),
    ...values,
  ];
  const stack = typeof err === 'object' ? (err.stack ?? err.message ?? JSON.stringify(err)) : '';
  const stackLines = stack === '' ? [] : stack.split('\n').map((text) => `  ${printable(text)}`);
  return `${[parts.join(' '), ...stackLines].join('\n')}\n`;
}

/** Line of the logger. */
interface LogLine {
  /** Milliseconds since 1970. */
  time: number;
  level: number;
  msg?: string;
  err?: { message?: string; stack?: string } | string;
  [field: string]: unknown;
}

function formatValue(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=\p{Cc}]+$/u.test(value)) {
    return value;
  }
  return printable(JSON.stringify(value));
}

/** Escapes control characters, which callers could use to send commands to the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${code}`;
  });
}
