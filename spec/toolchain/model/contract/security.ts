import { isObject, type Json, type JsonObject } from '../../document.ts';
import type { References } from '../../references.ts';
import type { Requirement, SecurityScheme } from './contract.ts';

/** Reads who may call an operation (OpenAPI, Security Requirement and Security Scheme Objects). */
export class SecurityReader {
  readonly #schemes: ReadonlyMap<string, SecurityScheme>;

  constructor(references: References, schemes: JsonObject) {
    this.#schemes = new Map(
      Object.entries(schemes).map(([name, source]) => [
        name,
        schemeOf(name, references.object(source, `the security scheme ${name}`) ?? {}),
      ]),
    );
  }

  /** Returns the requirements of an operation, or those of the document by default. */
  requirements(source: Json | undefined): Requirement[] {
    return (Array.isArray(source) ? source : [])
      .filter(isObject)
      .map((requirement) =>
        Object.keys(requirement).map((name) => this.#schemes.get(name) ?? { name, kind: 'unsupported' }),
      );
  }
}

function schemeOf(name: string, raw: JsonObject): SecurityScheme {
  if (raw.type === 'oauth2' || raw.type === 'openIdConnect') {
    return { name, kind: 'bearer' };
  }
  if (raw.type === 'http') {
    const scheme = String(raw.scheme).toLowerCase();
    return { name, kind: scheme === 'bearer' || scheme === 'basic' ? scheme : 'unsupported' };
  }
  const kind = (['header', 'query', 'cookie'] as const).find((location) => location === raw.in);
  if (raw.type !== 'apiKey' || !kind || typeof raw.name !== 'string') {
    return { name, kind: 'unsupported' };
  }
  return { name, kind, parameter: raw.name };
}
