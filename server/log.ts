import { type Logger, pino } from 'pino';

/** Where secrets could stand in what is logged. */
const SECRETS = ['authorization', 'token', 'password', 'secret', 'secretKey', 'cookie'];

/** The log of a process: JSON lines on standard error or another file descriptor, secrets left out. */
export function createLog(level: string, descriptor = 2): Logger {
  const paths = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino({ level, redact: { paths, censor: '[redacted]' } }, pino.destination(descriptor));
}
