import { methods, type OpenApiDocument } from '../../spec/toolchain/document.ts';
import type { StageResult } from './stages.ts';

/** Operations that receive a complete request: the first one compiles validators. */
const MAX_COMPLETE_REQUESTS = 40;
const REQUEST_TIMEOUT_MS = 15_000;
/** No operation has such a response, so that it is rejected before its validators are compiled. */
const UNKNOWN_TYPE = 'application/x-corpus';

/** Sends a request to each operation. The statuses from 500 are problems, except 501. */
export async function requestEach(url: string, document: OpenApiDocument): Promise<StageResult> {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ path, method }] : [])),
  );
  const every = Math.ceil(operations.length / MAX_COMPLETE_REQUESTS);
  const problems: string[] = [];
  for (const [index, { path, method }] of operations.entries()) {
    const isComplete = index % every === 0;
    const target = `${url}${path.replaceAll(/\{[^}]*\}/g, '1')}`;
    try {
      const response = await fetch(target, {
        method,
        headers: isComplete ? {} : { accept: UNKNOWN_TYPE },
        redirect: 'manual',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      if (response.status >= 500 && response.status !== 501) {
        problems.push(`${method.toUpperCase()} ${path}: ${response.status} ${text.slice(0, 300)}`);
      }
    } catch (error) {
      problems.push(
        `${method.toUpperCase()} ${path}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return { problems };
}
