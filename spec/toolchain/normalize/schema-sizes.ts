import { schemaSizeCheck } from '../../../server/contract/limits/schema-size.ts';
import type { Json } from '../document.ts';
import { eachObject, pointerOf } from '../rewrite.ts';

/** Returns messages about the schemas of a document that expand to too many, with their JSON pointers. */
export function expandingSchemas(document: object): string[] {
  const problemOf = schemaSizeCheck(document);
  const messages: string[] = [];
  // A document is JSON.
  eachObject(document as Json, (object, position) => {
    const problem = problemOf(object);
    if (problem !== undefined) {
      messages.push(`${pointerOf(position)}: ${problem}`);
    }
  });
  return messages;
}
