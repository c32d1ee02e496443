import type { Contract, Operation } from '../contract/contract.ts';
import { anonymous, parametersOf } from './names.ts';
import type { Slot } from './slots.ts';

/** A declared link as a source of a slot's values. */
interface Source {
  operation: Operation;
  /** A JSON pointer into the response's body, or `header:NAME`. */
  from: string;
}

/** Returns the declared links of success responses that supply the last parameter of a slot. */
export function linksTo(contract: Contract, slot: Slot): Source[] {
  const byId = new Map(contract.operations.map((operation) => [operation.id, operation]));
  return contract.operations.flatMap((operation) =>
    Object.entries(operation.responses)
      .filter(([status]) => /^2/.test(status))
      .flatMap(([, { links }]) =>
        links.flatMap((link) => {
          const target = byId.get(link.operation);
          if (!target) {
            return [];
          }
          const name = parameterAt(target, slot);
          const value =
            name === undefined ? undefined : (link.parameters[name] ?? link.parameters[`path.${name}`]);
          const from = typeof value === 'string' ? locationOf(value) : undefined;
          return from === undefined ? [] : [{ operation, from }];
        }),
      ),
  );
}

/** Returns the name of a slot's parameter in the path of an operation. */
function parameterAt({ path }: Operation, slot: Slot): string | undefined {
  const depth = slot.key.split('/').length;
  const upTo = path.split('/').slice(0, depth).join('/');
  return anonymous(upTo) === slot.key ? parametersOf(upTo).at(-1) : undefined;
}

/** Parses a runtime expression over the response (OpenAPI, Runtime Expressions); undefined for other expressions. */
function locationOf(expression: string): string | undefined {
  const bare = /^\{(.*)\}$/.exec(expression)?.[1] ?? expression;
  const body = /^\$response\.body#(\/.*)$/.exec(bare)?.[1];
  if (body !== undefined) {
    return body;
  }
  const header = /^\$response\.header\.(.+)$/.exec(bare)?.[1];
  return header === undefined ? undefined : `header:${header.toLowerCase()}`;
}
