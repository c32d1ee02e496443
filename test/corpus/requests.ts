import type { OpenApiDocument } from '../../spec/toolchain/document.ts';
import type { Operation } from '../../spec/toolchain/model/contract/contract.ts';
import { readContract } from '../../spec/toolchain/model/contract/read.ts';
import { SampleValues } from '../../spec/toolchain/model/sample/values.ts';
import { ifUsable, SchemaSet } from '../../spec/toolchain/model/schema/schema.ts';
import { documentOf } from '../../spec/toolchain/source.ts';
import type { StageResult } from './stages.ts';

/** Operations that receive a complete request: the first one compiles validators. */
const MAX_COMPLETE_REQUESTS = 40;
const REQUEST_TIMEOUT_MS = 15_000;
/** No operation has such a response, so that it is rejected before its validators are compiled. */
const UNKNOWN_TYPE = 'application/x-corpus';

/** Message of a mock that could not make a response, which it returns as 501. */
const UNMADE = 'The mock could not make a response';

/**
 * Sends a request to each operation, to some of them with credentials, required parameters and a body. The statuses from
 * 500 are problems, except 501 for what the router refuses.
 */
export async function requestEach(url: string, document: OpenApiDocument): Promise<StageResult> {
  const { operations: all, components } = readContract(documentOf('document', document));
  // The client of this runtime does not send TRACE, which the router refuses.
  const operations = all.filter(({ method }) => method !== 'TRACE');
  const values = new SampleValues(new SchemaSet(components));
  const every = Math.ceil(operations.length / MAX_COMPLETE_REQUESTS);
  const problems: string[] = [];
  for (const [index, operation] of operations.entries()) {
    const isComplete = index % every === 0;
    const name = `${operation.method} ${operation.path}`;
    try {
      const complete = isComplete ? ifUsable(() => completeRequest(operation, values)) : undefined;
      const { target, ...init } = complete ?? bareRequest(operation);
      const response = await fetch(url + target, {
        ...init,
        method: operation.method,
        redirect: 'manual',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      if (response.status >= 500 && (response.status !== 501 || text.includes(UNMADE))) {
        problems.push(`${name}: ${response.status} ${text.slice(0, 300)}`);
      }
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { problems };
}

/** What is sent besides the method. */
interface Sent {
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
  body?: string;
}

const bareRequest = ({ path }: Operation): Sent => ({
  target: path.replaceAll(/\{[^}]*\}/g, '1'),
  headers: { accept: UNKNOWN_TYPE },
});

/** Returns a request with sampled values, which the mock may reject: only usual styles of parameters are written. */
function completeRequest({ path, parameters, body, security }: Operation, values: SampleValues): Sent {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let target = path;
  for (const { name, in: place, required, schema, examples } of parameters) {
    const value = required || place === 'path' ? values.value(schema, name, 1, examples) : undefined;
    if (value === undefined) {
      continue;
    }
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (place === 'path') {
      target = target.replaceAll(`{${name}}`, encodeURIComponent(text));
    } else if (place === 'query') {
      query.append(name, text);
    } else if (place === 'header') {
      headers[name] = encodeURIComponent(text);
    }
  }
  for (const { kind, parameter = '' } of security[0] ?? []) {
    if (kind === 'query') {
      query.append(parameter, 'key');
    } else if (kind === 'bearer' || kind === 'basic') {
      headers.authorization = kind === 'basic' ? `Basic ${btoa('user:password')}` : 'Bearer token';
    } else if (kind !== 'unsupported') {
      headers[kind === 'cookie' ? 'cookie' : parameter] = kind === 'cookie' ? `${parameter}=key` : 'key';
    }
  }
  const [type, media] =
    Object.entries(body?.content ?? {}).find(([name]) => /^application\/(.*\+)?json/.test(name)) ?? [];
  const sent = media && values.value(media.schema ?? {}, 'body', 1, media.examples);
  const search = query.size > 0 ? `?${query}` : '';
  return type === undefined || sent === undefined
    ? { target: target + search, headers }
    : {
        target: target + search,
        headers: { ...headers, 'content-type': type },
        body: JSON.stringify(sent),
      };
}
