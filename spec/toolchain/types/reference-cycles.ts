import { isObject, type Json, modelOf } from '../document.ts';

/**
 * Removes the references of a model to itself for the same value, such as `A: oneOf [A, string]`: they constrain
 * nothing, and a type must not be declared this way. Modifies the models, which are composed.
 */
export function breakCycles(models: Record<string, Json>): void {
  const done = new Set<string>();
  const visit = (name: string, within: ReadonlySet<string>): void => {
    if (!done.has(name) && Object.hasOwn(models, name)) {
      done.add(name);
      models[name] = prune(models[name] ?? {}, new Set([...within, name])) ?? {};
    }
  };
  /** Returns a schema without references to models that contain it; undefined for such a reference. */
  const prune = (schema: Json, within: ReadonlySet<string>): Json | undefined => {
    if (!isObject(schema)) {
      return schema;
    }
    const target = modelOf(schema.$ref);
    if (target !== undefined) {
      if (within.has(target)) {
        return undefined;
      }
      visit(target, within);
    }
    for (const keyword of ['allOf', 'oneOf']) {
      const members = schema[keyword];
      if (Array.isArray(members)) {
        schema[keyword] = members.flatMap((member) => prune(member, within) ?? []);
      }
    }
    return schema;
  };
  for (const name of Object.keys(models)) {
    visit(name, new Set());
  }
}
