import type { Parts } from '../../../spec/toolchain/conform/requests/requests.ts';
import { requestWith } from '../../../spec/toolchain/conform/wire/request.ts';
import type { Operation } from '../../../spec/toolchain/model/contract/contract.ts';

/** A request as it is sent, without credentials. */
export interface WireRequest {
  method: string;
  /** Path and query, percent-encoded. */
  target: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** Values for path parameters by name. */
export type PathValues = Readonly<Record<string, string>>;

/** Builds a request from parts that do not come from earlier responses. */
export function requestOf(operation: Operation, parts: Parts): WireRequest {
  const { inventedFields: _, ...step } = parts;
  const { method, target, headers, body } = requestWith(
    operation,
    { operation: operation.id, caller: 'own', ...step },
    ({ from }) => {
      throw new Error(`There is no earlier response to take ${from} from.`);
    },
  );
  const byName = headers.map(([name, value]) => [name.toLowerCase(), value]);
  return { method, target, headers: Object.fromEntries(byName), ...(body !== undefined && { body }) };
}

/** Fills the parameters of a path template, percent-encoded. Those without a value become empty. */
export function fillPath(template: string, values: PathValues): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
