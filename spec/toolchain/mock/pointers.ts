import { isObject, unescapePart } from '../document.ts';

/** Returns a copy of a JSON value with the member at a pointer replaced, or removed if `member` is undefined. */
export function withMember(value: unknown, pointer: string, member: unknown): unknown {
  if (pointer === '') {
    return member;
  }
  const [, name = '', ...rest] = pointer.split('/');
  const key = unescapePart(name);
  const object = isObject(value) ? value : {};
  const inner = withMember(object[key], rest.length === 0 ? '' : `/${rest.join('/')}`, member);
  const { [key]: _, ...others } = object;
  return inner === undefined ? others : { ...object, [key]: inner };
}
