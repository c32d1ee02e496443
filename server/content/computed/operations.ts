import { asObject, asText, asTexts, type JsonObject } from './json.ts';
import { resolveObject, type Specification } from './specification.ts';

/** An operation of a specification, or a webhook. */
export interface Operation {
  /** In upper case. */
  method: string;
  /** The path, or the name of the webhook. */
  path: string;
  webhook: boolean;
  /** What it is called: its summary, else its id, else its method and path. */
  title: string;
  tags: string[];
  /** What the document says of it. */
  fields: JsonObject;
  /** What the document says of its path. */
  item: JsonObject;
}

/** A page of operations: those of a tag, or those without one. */
export interface OperationsPage {
  /** The last part of its path; names the page within the specification. */
  slug: string;
  title: string;
  /** Markdown. */
  description: string;
  operations: readonly Operation[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** Every operation, in the order of the document; webhooks last. */
export function operationsOf({ document }: Specification): Operation[] {
  return [
    ...operationsUnder(document, asObject(document.paths), false),
    ...operationsUnder(document, asObject(document.webhooks), true),
  ];
}

function operationsUnder(document: JsonObject, paths: JsonObject, webhook: boolean): Operation[] {
  return Object.entries(paths).flatMap(([path, value]) => {
    // Extensions may stand beside paths.
    if (path.startsWith('x-')) return [];
    const item = resolveObject(document, value);
    return METHODS.flatMap((name) => {
      if (typeof item[name] !== 'object' || item[name] === null) return [];
      const fields = asObject(item[name]);
      const method = name.toUpperCase();
      const title = oneLine(asText(fields.summary) || asText(fields.operationId)) || `${method} ${path}`;
      return [
        { method, path, webhook, title, tags: [...new Set(asTexts(fields.tags).map(asText))], fields, item },
      ];
    });
  });
}

/** A text on one line, short enough for a title. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 199).trimEnd()}…`;
}
