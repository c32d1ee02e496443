import type { Contract } from '../../model/contract/contract.ts';
import { count } from '../../report/text.ts';
import { curlLines } from './curl.ts';
import type { Finding, Outcome } from './finding.ts';

/** Information that reports need in addition to the outcome. */
export interface Context {
  contract: Contract;
  /** Base URL of the server. */
  url: string;
  /** Arguments of curl for every request: certificates, and headers with variables as values. */
  curlArguments: readonly string[];
  /** Command that repeats the run. */
  command: string;
}

/** Returns the requests of a finding as lines for bash. */
export const curlOf = ({ plan, exchanges }: Finding, { contract, url, curlArguments }: Context): string[] =>
  curlLines(plan, contract, exchanges, url, curlArguments);

/** Describes the end of a run in one sentence. */
export function endOf({ end, requests, milliseconds }: Outcome): string {
  const reason = {
    complete: 'The run is complete',
    time: 'The time limit was reached',
    requests: 'The request limit was reached',
    interrupted: 'The run was interrupted',
    unavailable: 'The server stopped and did not return',
  }[end];
  return `${reason}: ${requests} requests in ${(milliseconds / 1000).toFixed(1)} s.`;
}

/** Number of failures in words. */
export const failureCount = (failures: number): string =>
  failures === 0 ? 'No failures' : count(failures, 'failure');

/** Returns a section of the report with one line per text, or nothing if it is empty. */
export const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
