import { escapeToken } from '../../../server/contract/json-values.ts';
import { isBareReference, isObject, type Json, type JsonObject } from '../document.ts';
import { eachObject } from '../rewrite.ts';

/** Component of the entry file that only refers to another file. */
interface Alias {
  group: JsonObject;
  name: string;
  /** JSON pointer of the group. */
  pointer: string;
}

/** Components of the entry file. */
export interface Aliases {
  aliases: Alias[];
  /** JSON pointers of all components that the entry file declares. */
  declared: Set<string>;
}

/** Finds the components of a document that only refer to other files, as in `Pet: { $ref: models/pet.yaml }`. */
export function aliasesIn(root: JsonObject): Aliases {
  const components = isObject(root.components) ? Object.entries(root.components) : [];
  const groups = [
    ...components.map(([name, group]): [string, Json] => [`#/components/${name}`, group]),
    ...['definitions', 'parameters', 'responses'].map((name): [string, Json] => [
      `#/${name}`,
      root[name] ?? null,
    ]),
  ];
  const aliases: Alias[] = [];
  const declared = new Set<string>();
  for (const [pointer, group] of groups) {
    for (const [name, component] of Object.entries(isObject(group) ? group : {})) {
      declared.add(`${pointer}/${escapeToken(name)}`);
      if (isObject(group) && isBareReference(component) && !component.$ref.startsWith('#')) {
        aliases.push({ group, name, pointer });
      }
    }
  }
  return { aliases, declared };
}

/**
 * Gives the components that came from other files the names that the entry file gives them, instead of those of the
 * files. In place.
 */
export function adoptNames(root: JsonObject, { aliases, declared }: Aliases): void {
  const renamed = new Map<string, string>();
  for (const { group, name, pointer } of aliases) {
    const alias = group[name] ?? null;
    const target = isBareReference(alias) ? alias.$ref : '';
    const targetName = Object.keys(group).find((key) => `${pointer}/${escapeToken(key)}` === target);
    if (targetName === undefined || declared.has(target) || renamed.has(target)) {
      continue;
    }
    group[name] = group[targetName] ?? null;
    delete group[targetName];
    renamed.set(target, `${pointer}/${escapeToken(name)}`);
  }
  if (renamed.size > 0) {
    renameReferences(root, renamed);
  }
}

function renameReferences(root: JsonObject, renamed: ReadonlyMap<string, string>): void {
  const rename = (reference: string): string => {
    // A reference can point into a component.
    const [component = ''] = /^#\/(?:components\/[^/]+|[^/]+)\/[^/]+/.exec(reference) ?? [];
    const name = renamed.get(component);
    return name === undefined ? reference : name + reference.slice(component.length);
  };
  eachObject(root, (object) => {
    if (typeof object.$ref === 'string') {
      object.$ref = rename(object.$ref);
    }
    if (typeof object.propertyName === 'string' && isObject(object.mapping)) {
      for (const [value, target] of Object.entries(object.mapping)) {
        object.mapping[value] = typeof target === 'string' ? rename(target) : target;
      }
    }
  });
}
