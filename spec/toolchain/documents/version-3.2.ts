import { isObject, type JsonObject } from '../document.ts';
import { eachObject } from '../rewrite.ts';
import type { At } from './positions.ts';
import type { Report } from './structure.ts';

/**
 * Reads a document of OpenAPI 3.2 as one of 3.1, in place. Operations that 3.1 cannot express are removed, with a
 * warning; other new members are ignored.
 */
export function readAs31(root: JsonObject, report: Report): void {
  if (!/^3\.2(\.|$)/.test(String(root.openapi))) {
    return;
  }
  root.openapi = '3.1.0';
  const paths = isObject(root.paths) ? root.paths : {};
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item)) {
      continue;
    }
    const at: At = { holder: paths, step: path, parent: { holder: root, step: 'paths', parent: undefined } };
    removeOperations(item, at, report);
  }
  eachObject(root, (object) => {
    // A stream is described by its items instead of by one schema.
    if (object.itemSchema !== undefined && object.schema === undefined) {
      delete object.itemSchema;
    }
  });
}

function removeOperations(item: JsonObject, parent: At, report: Report): void {
  const remove = (step: string, reason: string) => {
    delete item[step];
    report(
      'warning',
      'openapi-3.2',
      { holder: item, step, parent },
      `${reason} is part of OpenAPI 3.2, which is read as 3.1. The operation is ignored.`,
    );
  };
  for (const step of ['query', 'additionalOperations']) {
    if (item[step] !== undefined) {
      remove(step, `"${step}"`);
    }
  }
  for (const [step, operation] of Object.entries(item)) {
    const parameters = isObject(operation) && Array.isArray(operation.parameters) ? operation.parameters : [];
    if (parameters.some((parameter) => isObject(parameter) && parameter.in === 'querystring')) {
      remove(step, 'A parameter in "querystring"');
    }
  }
}
