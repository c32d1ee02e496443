import type { Contract, Operation } from '../../model/contract/contract.ts';
import { schemasOf } from '../../model/contract/schemas-of.ts';
import { unsupportedTypes } from '../requests/bodies.ts';
import { isSecured } from '../wire/credentials.ts';

/** Returns what is never tested of operations that are tested otherwise, with the reason. */
export function limitationsOf(contract: Contract, tested: ReadonlySet<string>): string[] {
  return contract.operations
    .filter(({ id }) => tested.has(id))
    .flatMap((operation) => [...bodiesOf(contract, operation), ...credentialsOf(operation)]);
}

function bodiesOf(contract: Contract, { id, body }: Operation): string[] {
  const content = body?.content ?? {};
  const types = unsupportedTypes(schemasOf(contract), content);
  // Without a supported type, the operation itself is not tested if the body is required.
  return types.length > 0 && (types.length < Object.keys(content).length || !body?.required)
    ? [`${id}: bodies of ${types.join(', ')}, which cannot be generated`]
    : [];
}

function credentialsOf({ id, security }: Operation): string[] {
  const isUnsupported = security.every((schemes) => schemes.some(({ kind }) => kind === 'unsupported'));
  const names = [...new Set(security.flat().map(({ name }) => name))];
  return isSecured(security) && isUnsupported
    ? [`${id}: requests with credentials of ${names.join(', ')}, which are not supported`]
    : [];
}
