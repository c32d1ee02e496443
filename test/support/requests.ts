import type { Operation } from '../../spec/toolchain/conform/contract/contract.ts';
import type { Parts } from '../../spec/toolchain/conform/requests/requests.ts';
import { requestWith } from '../../spec/toolchain/conform/wire/request.ts';

/** A request as it goes over the wire, but for who sends it. */
export interface WireRequest {
  method: string;
  /** Path and query, percent-encoded. */
  target: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** Values for the parameters of a path, by name. */
export type PathValues = Readonly<Record<string, string>>;

/** Puts the parts of a request together, in which nothing comes from an earlier answer. */
export function requestOf(operation: Operation, parts: Parts): WireRequest {
  const { inventedFields: _, ...step } = parts;
  const { method, target, headers, body } = requestWith(
    operation,
    { operation: operation.id, caller: 'own', ...step },
    ({ from }) => {
      throw new Error(`There is no earlier answer to take ${from} of.`);
    },
  );
  const byName = headers.map(([name, value]) => [name.toLowerCase(), value]);
  return { method, target, headers: Object.fromEntries(byName), ...(body !== undefined && { body }) };
}
