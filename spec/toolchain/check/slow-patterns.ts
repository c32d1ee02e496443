import type { Diagnostics } from 'recheck';
import { flagsOf, isCertainlyLinear } from '../../../server/contract/validation/patterns/patterns.ts';
import { isObject, type Json, type OpenApiDocument } from '../document.ts';
import type { Problem } from '../problem.ts';
import { eachObject, type Position, pointerOf } from '../rewrite.ts';

/** Code of the reports about patterns: warnings, or notes if the analysis has no result. */
export const SLOW_PATTERN = 'slow-pattern';

/** Time limit for the analysis of a pattern. Without a result, the report is a note. */
const ANALYSIS_TIMEOUT_MS = 2000;

/** Maximum number of steps, estimated from the maximum length of the texts, that are no problem. */
const MAX_STEPS = 1_000_000;

/** A pattern of a contract. */
interface Place {
  pattern: string;
  position: Position | undefined;
  /** Maximum length of the texts that are compared with it. */
  maxLength: number;
}

/**
 * Reports the patterns of a contract that an engine which backtracks, such as that of JavaScript, Java or Python,
 * compares with some texts in exponential time, or in polynomial time for texts of the permitted length. The server
 * runtime compares them in linear time or before a deadline; other servers and clients do not.
 *
 * @param file path of the contract for the problems
 */
export async function slowPatterns(document: OpenApiDocument, file: string): Promise<Problem[]> {
  const places = patternsIn(document).filter(
    ({ pattern }) => !isCertainlyLinear(pattern, flagsOf(pattern) ?? ''),
  );
  const analyses = new Map<string, Diagnostics>();
  for (const { pattern } of places) {
    if (!analyses.has(pattern)) {
      analyses.set(pattern, await analyze(pattern));
    }
  }
  return places.flatMap(({ pattern, position, maxLength }) => {
    const analysis = analyses.get(pattern);
    if (analysis?.status === 'unknown') {
      return {
        severity: 'note',
        code: SLOW_PATTERN,
        file,
        message: `${pointerOf(position)}: the time that the pattern ${pattern} takes could not be determined.`,
      };
    }
    if (analysis?.status !== 'vulnerable' || !isSlow(analysis.complexity, maxLength)) {
      return [];
    }
    const { attack, complexity } = analysis;
    const time = complexity.type === 'exponential' ? 'exponential' : 'polynomial';
    return {
      severity: 'warning',
      code: SLOW_PATTERN,
      file,
      message:
        `${pointerOf(position)}: the pattern ${pattern} takes ${time} time for some texts, such as ` +
        `${attack.pattern}, so that one request can block a server. Write it so that each text matches in one way ` +
        `only${time === 'polynomial' ? ', or declare a smaller maxLength' : ''}.`,
    };
  });
}

function isSlow(complexity: { type: string; degree?: number }, maxLength: number): boolean {
  return complexity.type === 'exponential' || maxLength ** (complexity.degree ?? 1) > MAX_STEPS;
}

function patternsIn(document: OpenApiDocument): Place[] {
  const places: Place[] = [];
  // A document is JSON.
  eachObject(document as unknown as Json, ({ pattern, patternProperties, maxLength }, parent) => {
    if (typeof pattern === 'string') {
      const limit = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
      places.push({ pattern, position: { step: 'pattern', parent }, maxLength: limit });
    }
    for (const name of Object.keys(isObject(patternProperties) ? patternProperties : {})) {
      const position = { step: name, parent: { step: 'patternProperties', parent } };
      places.push({ pattern: name, position, maxLength: Number.POSITIVE_INFINITY });
    }
  });
  return places;
}

async function analyze(pattern: string): Promise<Diagnostics> {
  // A thread of its own; the other backends start programs.
  process.env.RECHECK_BACKEND ??= 'worker';
  const { check } = await import('recheck');
  return await check(pattern, flagsOf(pattern) ?? '', { timeout: ANALYSIS_TIMEOUT_MS });
}
