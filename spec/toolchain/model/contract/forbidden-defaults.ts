import type { OpenApiDocument as ServedDocument } from '../../../../server/contract/document.ts';
import { brief } from '../../../../server/contract/json-values.ts';
import { pointerOf, visitDocument } from '../../../../server/contract/validation/grammar.ts';
import { compileSchema } from '../../../../server/contract/validation/schema-check.ts';
import type { OpenApiDocument } from '../../document.ts';
import type { Problem } from '../../problem.ts';

/**
 * Reports the defaults that their own schemas forbid. The server runtime does not insert them; clients and documentation
 * would show them all the same.
 *
 * @param file path of the contract for the problems
 */
export function forbiddenDefaults(document: OpenApiDocument, file: string): Problem[] {
  // Both interfaces describe parts of the same document.
  const served = document as unknown as ServedDocument;
  const problems: Problem[] = [];
  visitDocument(served, ({ object, kind, position }) => {
    const reason = kind === 'schema' && 'default' in object ? reasonOf(served, object) : undefined;
    if (reason !== undefined) {
      problems.push({
        severity: 'warning',
        code: 'forbidden-default',
        file,
        message:
          `${pointerOf(position)}: the default ${brief(object.default)} does not match its own schema: it ${reason}. ` +
          'The server does not insert it. Change the default, or what the schema permits.',
      });
    }
  });
  return problems;
}

function reasonOf(document: ServedDocument, schema: Record<string, unknown>): string | undefined {
  try {
    const [fault] = compileSchema(document, schema)(schema.default);
    return fault && `${fault.path === '' ? '' : `has the field ${fault.path}, which `}${fault.message}`;
  } catch {
    // A schema that cannot be compiled is reported as such.
    return undefined;
  }
}
