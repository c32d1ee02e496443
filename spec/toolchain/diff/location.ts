import { joinPaths } from './form/origin.ts';

/** Location of a property; `*` for undeclared properties. */
export const propertyAt = (path: string, name: string): string => joinPaths(path, name);

/** Location of the items of an array, or of one of the first items. */
export const itemsAt = (path: string, index?: number): string => `${path}[${index ?? ''}]`;

/** Location of a variant of a union. */
export const variantAt = (path: string, label: string): string => `${path}<${label}>`;

/** Location within a body or parameter: `response 200: items[].kind`. */
export const locationAt = (root: string, path: string): string => (path === '' ? root : `${root}: ${path}`);
