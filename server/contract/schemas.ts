import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { OpenApiDocument } from './document.ts';
import type { Fault } from './errors.ts';

/**
 * Holds values against the named schemas of a contract, for what does not come as a request body: a
 * compressed query, a stored document, a file. Schemas are compiled when first asked for.
 *
 * @returns the faults of a value, none where it fits; throws for a name that the contract lacks
 */
export function createSchemas(document: OpenApiDocument): (name: string, value: unknown) => Fault[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: fullFormats });
  ajv.addSchema({ $id: 'contract:', components: document.components });
  const compiled = new Map<string, ValidateFunction>();
  return (name, value) => {
    let validate = compiled.get(name);
    if (!validate) {
      validate = ajv.compile({ $ref: `contract:#/components/schemas/${name}` });
      compiled.set(name, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => ({
      in: 'body',
      path: error.instancePath.slice(1).replaceAll('/', '.'),
      message: error.message ?? 'does not fit',
    }));
  };
}
