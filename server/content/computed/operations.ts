import { asObject, asText, asTexts, type JsonObject } from './json.ts';
import { resolveObject, type Specification } from './specification.ts';

/** An operation or a webhook of a specification. */
export interface Operation {
  /** In upper case. */
  method: string;
  /** The path, or the name of a webhook. */
  path: string;
  webhook: boolean;
  /** Its summary, else its ID, else its method and path. */
  title: string;
  tags: string[];
  /** The operation object of the document. */
  fields: JsonObject;
  /** The path item object of the document. */
  item: JsonObject;
}

/** A page of operations: those with a tag, or those without one. */
export interface OperationsPage {
  /** Last segment of the path; unique within the specification. */
  slug: string;
  title: string;
  /** Markdown. */
  description: string;
  operations: readonly Operation[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** Returns all operations in the order of the document, webhooks last. */
export function operationsOf({ document }: Specification): Operation[] {
  return [
    ...operationsUnder(document, asObject(document.paths), false),
    ...operationsUnder(document, asObject(document.webhooks), true),
  ];
}

function operationsUnder(document: JsonObject, paths: JsonObject, webhook: boolean): Operation[] {
  return Object.entries(paths).flatMap(([path, value]) => {
    // Paths may have extensions as siblings.
    if (path.startsWith('x-')) {
      return [];
    }
    const item = resolveObject(document, value);
    return METHODS.flatMap((name) => {
      if (typeof item[name] !== 'object' || item[name] === null) {
        return [];
      }
      const fields = asObject(item[name]);
      const method = name.toUpperCase();
      const title = oneLine(asText(fields.summary) || asText(fields.operationId)) || `${method} ${path}`;
      return [
        { method, path, webhook, title, tags: [...new Set(asTexts(fields.tags).map(asText))], fields, item },
      ];
    });
  });
}

/** Returns a text as one line, shortened for a title. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 199).trimEnd()}…`;
}
