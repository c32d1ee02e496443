import type { Contract } from '../contract/contract.ts';
import { curlLines } from './curl.ts';
import type { Finding, Outcome } from './finding.ts';

/** What reports need beside the outcome of a run. */
export interface Context {
  contract: Contract;
  /** The server's address. */
  url: string;
  /** The command that makes the same run again. */
  again: string;
}

/** The requests of a finding as lines for bash. */
export const curlOf = ({ plan, exchanges }: Finding, { contract, url }: Context): string[] =>
  curlLines(plan, contract, exchanges, url);

/** How a run ended, in a sentence. */
export function endOf({ end, requests, milliseconds }: Outcome): string {
  const why = {
    complete: 'All that was planned was tried',
    time: 'The time was over',
    requests: 'The requests were used up',
    interrupted: 'The run was interrupted',
  }[end];
  return `${why}: ${requests} requests in ${(milliseconds / 1000).toFixed(1)} s.`;
}

/** Texts that are told only when there is something to tell, a line for each. */
export const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
