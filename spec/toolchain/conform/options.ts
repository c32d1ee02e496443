import { InvalidArgumentError } from 'commander';
import { quoted } from './report/shell.ts';

/** What a person asked for. */
export interface ConformOptions {
  /** The server's address; missing only with `listChecks`. */
  url?: URL;
  contract?: string;
  token?: string;
  secondToken?: string;
  seed?: number;
  maxSeconds: number;
  maxRequests?: number;
  rate?: number;
  only?: string;
  leaveOut?: string[];
  touchExisting?: true;
  json?: string;
  junit?: string;
  replay?: string;
  saveReplay?: string;
  listChecks?: true;
}

/** Where the plans of failures go when nothing else was asked for. */
export const DEFAULT_REPLAY = 'colophon-conform-replay.json';

/** Reads the server's address. @throws {InvalidArgumentError} */
export function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('It is no address that begins with http:// or https://.');
  if (url.username || url.password)
    throw new InvalidArgumentError('Credentials do not go into the address: give them with --token.');
  if (url.search || url.hash)
    throw new InvalidArgumentError(
      'A query or fragment cannot stand before the paths of the contract: leave it out.',
    );
  return url;
}

/** A reader of whole numbers from `least` to `most`. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^-?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };

/** Reads a number above 0. @throws {InvalidArgumentError} */
export function positiveNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value > 0 && value < 1e9) return value;
  throw new InvalidArgumentError('Give a number above 0.');
}

/** Collects an option that may be given several times, with several names, or with a list of them. */
export const collect = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text.split(',').map((one) => one.trim()),
];

/** The command that makes the same run again; tokens come from the environment. */
export function commandAgain(run: string, options: ConformOptions, seed: number): string {
  const {
    url,
    contract,
    maxSeconds,
    maxRequests,
    rate,
    only,
    leaveOut = [],
    touchExisting,
    replay,
  } = options;
  const words: [name: string, value: string | number | undefined][] = [
    ['--url', url?.href],
    ['--contract', contract],
    ['--seed', seed],
    ['--max-seconds', maxSeconds],
    ['--max-requests', maxRequests],
    ['--rate', rate],
    ['--only', only],
    ...leaveOut.map((name): [string, string] => ['--leave-out', name]),
    ['--replay', replay],
  ];
  const given = words.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${quoted(String(value))}`],
  );
  const command = run === 'npm run' ? 'npm run conform --' : `${run} conform`;
  return [command, ...given, ...(touchExisting ? ['--touch-existing'] : [])].join(' ');
}
