import type { components } from '../../../../generated/schema.d.ts';
import type { ComputedSource } from '../../tree/content-root.ts';
import type { ImportedComputedSource } from '../types.ts';

type Schemas = components['schemas'];

const IDENTIFIER = /^[a-zA-Z0-9_-]{1,128}$/;
const INTEGRATION = /^integration:[^:]+:[^:]+$/;
const MAX_TYPE_CHARACTERS = 256;

/** Converts a computed source from a repository to its contract form; undefined if the contract has no such source. */
export function computedSource({
  type,
  props,
  dependencies,
}: ImportedComputedSource): ComputedSource | undefined {
  if (type === 'builtin:openapi') {
    const spec = dependencies.spec?.ref;
    if (spec?.kind !== 'openapi' || !isIdentifier(spec.spec)) {
      return undefined;
    }
    return {
      type,
      props: typeof props.models === 'boolean' ? { models: props.models } : {},
      dependencies: { spec: { ref: { kind: 'openapi', spec: spec.spec } } },
    };
  }
  if (type === 'builtin:translation') {
    const translations: Record<string, Schemas['TranslationDependency']> = {};
    for (const [name, { ref }] of Object.entries(dependencies)) {
      if (ref.kind !== 'translation' || !isIdentifier(ref.translation)) {
        return undefined;
      }
      translations[name] = { ref: { kind: 'translation', translation: ref.translation } };
    }
    return { type, props, dependencies: translations };
  }
  // Dependencies of an integration are IDs of this service, which a repository cannot contain.
  if (INTEGRATION.test(type) && type.length <= MAX_TYPE_CHARACTERS) {
    return { type, props };
  }
  return undefined;
}

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value);
}
