import { isObject, type Json, type JsonObject, modelOf, type OpenApiDocument } from '../document.ts';

/**
 * Keywords with schemas that apply to the same value. A cycle through one of these groups has no end, and no meaning.
 */
const GROUPS: readonly (readonly string[])[] = [['allOf'], ['oneOf', 'anyOf'], ['not']];

/**
 * Removes the references of a model to itself for the same value, such as `A: oneOf [A, string]`, in place: they
 * constrain nothing, and validators would follow them endlessly. Cycles through `oneOf` and `allOf`, where the variants
 * of a model extend it, are intended, and remain.
 *
 * @param report receives what was removed
 */
export function removeSelfReferences(document: OpenApiDocument, report: (message: string) => void): void {
  const models = document.components?.schemas ?? {};
  for (const keywords of GROUPS) {
    const done = new Set<string>();
    const visit = (name: string, within: ReadonlySet<string>): void => {
      const model = Object.hasOwn(models, name) ? models[name] : undefined;
      if (!done.has(name) && isObject(model)) {
        done.add(name);
        prune(model, keywords, new Set([...within, name]), (target) => {
          report(
            `#/components/schemas/${name} applies #/components/schemas/${target}, which contains it, to the same value by ${keywords.join(' or ')}, so that this is ignored. Remove the reference.`,
          );
        });
      }
    };
    const prune = (
      schema: JsonObject,
      group: readonly string[],
      within: ReadonlySet<string>,
      remove: (target: string) => void,
    ): void => {
      const isCircular = (member: Json | undefined): boolean => {
        const circular = targetsOf(models, member).find((target) => within.has(target));
        if (circular !== undefined) {
          remove(circular);
          return true;
        }
        if (isObject(member)) {
          prune(member, group, within, remove);
        }
        return false;
      };
      for (const keyword of group) {
        const applied = schema[keyword];
        const members = Array.isArray(applied) ? applied : applied === undefined ? [] : [applied];
        const remaining = members.filter((member) => !isCircular(member));
        if (remaining.length === members.length) {
          continue;
        }
        delete schema[keyword];
        if (remaining.length > 0) {
          schema[keyword] = remaining;
        }
      }
      const target = modelOf(schema.$ref);
      if (target !== undefined) {
        visit(target, within);
      }
    };
    for (const name of Object.keys(models)) {
      visit(name, new Set());
    }
  }
}

/** Returns the models that a schema is by its reference, and by theirs. */
function targetsOf(models: Readonly<Record<string, Json>>, schema: Json | undefined): string[] {
  const targets: string[] = [];
  for (let at = schema; isObject(at); ) {
    const target = modelOf(at.$ref);
    if (target === undefined || targets.includes(target)) {
      break;
    }
    targets.push(target);
    at = Object.hasOwn(models, target) ? models[target] : undefined;
  }
  return targets;
}
