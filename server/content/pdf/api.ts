/** Prints the parts of API references: operations with their methods, and status codes. */
import { type OperationName, operationOf, statusOf } from '../html/specifications/api.ts';
import type { Block, BlockOf } from '../markdown/document.ts';
import { CODE, SMALL } from './code.ts';
import { BODY, INK } from './flow.ts';
import { nameSpan, type PageContext, span } from './inlines.ts';
import type { Span, TextStyle } from './lines.ts';

/** Colors of methods: those of pages in the light theme. */
const METHODS: Readonly<Record<string, string>> = {
  GET: '#1f5fc4',
  POST: '#157a41',
  PUT: '#8a5700',
  PATCH: '#8a5700',
  DELETE: '#bf2f36',
};
/** Colors of status codes by their first digit. */
const STATUSES: Readonly<Record<string, string>> = {
  2: METHODS.POST ?? INK.text,
  3: METHODS.GET ?? INK.text,
  4: METHODS.DELETE ?? INK.text,
  5: METHODS.DELETE ?? INK.text,
};

const PATH: TextStyle = { ...CODE, size: 9.5 };

/** Returns a method and a path. */
function operationSpans({ method, path }: OperationName): Span[] {
  const color = METHODS[method] ?? INK.muted;
  const spans = method === '' ? [] : [span(method, { ...PATH, bold: true, color })];
  return path === '' ? spans : [...spans, span(method === '' ? path : `  ${path}`, PATH)];
}

/** Prints a paragraph that names an operation; returns whether it does. */
export async function printOperationLine(
  context: PageContext,
  block: BlockOf<'paragraph'>,
): Promise<boolean> {
  const name = operationOf(block);
  if (!name) {
    return false;
  }
  await printOperation(context, name);
  return true;
}

/** Prints a method and a path in a frame. */
async function printOperation({ flow }: PageContext, name: OperationName): Promise<void> {
  await flow.inDirection('ltr', () =>
    flow.within(8, { shade: INK.shade }, async () => {
      flow.text(operationSpans(name));
    }),
  );
}

/** Prints an operation, webhook or schemas that refer to a specification whose content is not part of the page. */
export async function printApiBlock(
  context: PageContext,
  { data }: BlockOf<'swagger' | 'openapi-operation' | 'openapi-schemas' | 'openapi-webhook'>,
): Promise<void> {
  const { flow } = context;
  const method = 'method' in data ? (data.method?.toUpperCase() ?? '') : '';
  const path = 'path' in data ? (data.path ?? '') : 'name' in data ? (data.name ?? '') : '';
  if (method !== '' || path !== '') {
    await printOperation(context, { method, path });
  }
  const schemas = 'schemas' in data ? (data.schemas ?? []) : [];
  for (const name of schemas) {
    flow.text([span('• ', BODY), span(name, CODE)]);
  }
  if (data.ref) {
    flow.text([nameSpan(context, data.ref, SMALL)]);
  }
}

/** Returns the style of the first cell of a row, which can be a status code. */
export function nameCellStyle(blocks: readonly Block[], style: TextStyle): TextStyle {
  const status = statusOf(blocks);
  const color = status === undefined ? undefined : STATUSES[status];
  return color === undefined ? style : { ...style, bold: true, color };
}
