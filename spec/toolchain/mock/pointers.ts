import { isObject, parsePointer } from '../../../server/contract/json-values.ts';

/** Returns a copy of a JSON value in which the member at a pointer is replaced, or removed if `member` is undefined. */
export const withMember = (value: unknown, pointer: string, member: unknown): unknown =>
  withMemberAt(value, parsePointer(pointer), member);

function withMemberAt(value: unknown, [name, ...rest]: readonly string[], member: unknown): unknown {
  if (name === undefined) {
    return member;
  }
  const object = isObject(value) ? value : {};
  const inner = withMemberAt(object[name], rest, member);
  const { [name]: _, ...others } = object;
  return inner === undefined ? others : { ...object, [name]: inner };
}
