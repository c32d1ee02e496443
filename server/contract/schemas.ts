import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { OpenApiDocument } from './document.ts';
import type { Fault } from './errors.ts';
import { faultsOf } from './faults.ts';
import { addKeywords } from './keywords.ts';
import { SchemaCopy } from './lean.ts';
import { MAX_FULL_REPORT_BYTES } from './validation.ts';

/** Validates a value against a named schema and returns its faults. Throws for an unknown schema name. */
export type CheckSchema = (name: string, value: unknown) => Fault[];

/**
 * Creates a validator over the named schemas of a contract, for values that are not request bodies: a compressed
 * query, a stored document, a file. Schemas are compiled on first use. For large values only the first fault is
 * reported, as for request bodies.
 */
export function createSchemas(document: OpenApiDocument): CheckSchema {
  const firstFault = compiler(document, false);
  const allFaults = compiler(document, true);
  return (name, value) => {
    const validateFirst = firstFault(name);
    if (validateFirst(value)) {
      return [];
    }
    const validate =
      JSON.stringify(value ?? null).length <= MAX_FULL_REPORT_BYTES ? allFaults(name) : validateFirst;
    validate(value);
    const errors = (validate.errors ?? []).map(
      ({ keyword, instancePath, message = 'is invalid', params }) => {
        const field: unknown = params.missingProperty ?? params.additionalProperty;
        return { keyword, pointer: instancePath + (field === undefined ? '' : `/${field}`), message };
      },
    );
    return faultsOf('body', errors);
  };
}

function compiler(document: OpenApiDocument, allErrors: boolean): (name: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors, formats: fullFormats });
  addKeywords(ajv);
  const copy = new SchemaCopy(document);
  const compiled = new Map<string, ValidateFunction>();
  return (name) => {
    const cached = compiled.get(name);
    if (cached) {
      return cached;
    }
    if (!document.components?.schemas || !Object.hasOwn(document.components.schemas, name)) {
      throw new Error(`The contract has no schema ${name}.`);
    }
    const schema = copy.copy({ $ref: `#/components/schemas/${name}` });
    copy.addReferenced(ajv);
    const validate = ajv.compile(schema as AnySchema);
    compiled.set(name, validate);
    return validate;
  };
}
