import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { OpenApiDocument } from './document.ts';
import type { Fault } from './errors.ts';
import { faultsOf } from './faults.ts';
import { addKeywords } from './keywords.ts';
import { SchemaCopy } from './lean.ts';
import { THOROUGH_BYTES } from './validation.ts';

/** Holds a value against a named schema: the faults, none where it fits. Throws for an unknown name. */
export type CheckSchema = (name: string, value: unknown) => Fault[];

/**
 * Holds values against the named schemas of a contract, for what does not come as a request body: a
 * compressed query, a stored document, a file. Schemas are compiled when first asked for. As with
 * request bodies, a large value is told its first fault only.
 */
export function createSchemas(document: OpenApiDocument): CheckSchema {
  const first = compiler(document, false);
  const all = compiler(document, true);
  return (name, value) => {
    const fits = first(name);
    if (fits(value)) return [];
    const thorough = JSON.stringify(value ?? null).length <= THOROUGH_BYTES ? all(name) : fits;
    thorough(value);
    const errors = (thorough.errors ?? []).map(
      ({ keyword, instancePath, message = 'does not fit', params }) => {
        const field: unknown = params.missingProperty ?? params.additionalProperty;
        return { keyword, pointer: instancePath + (field === undefined ? '' : `/${field}`), message };
      },
    );
    return faultsOf('body', errors);
  };
}

function compiler(document: OpenApiDocument, allErrors: boolean): (name: string) => ValidateFunction {
  const compiled = new Map<string, ValidateFunction>();
  return (name) => {
    const before = compiled.get(name);
    if (before) return before;
    if (!document.components?.schemas || !Object.hasOwn(document.components.schemas, name))
      throw new Error(`The contract has no schema ${name}.`);
    const copy = new SchemaCopy(document);
    const schema = copy.copy({ $ref: `#/components/schemas/${name}` });
    const ajv = new Ajv2020({ strict: false, allErrors, formats: fullFormats });
    addKeywords(ajv);
    const validate = ajv.compile({ ...(schema as object), components: copy.components() });
    compiled.set(name, validate);
    return validate;
  };
}
