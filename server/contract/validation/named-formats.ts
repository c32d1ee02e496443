import type { OpenApiDocument } from '../document.ts';

/**
 * Formats of texts that a contract names, with the function that returns whether a text has the format. A schema states
 * the rule in words with `x-rule` beside `format`. Formats without a function are annotations.
 */
export type NamedFormats = Readonly<Record<string, (text: string) => boolean>>;

export const NO_FORMATS: NamedFormats = {};

/** Returns the rules of the named formats of a document by format. */
export function formatRules(document: OpenApiDocument, formats: NamedFormats): ReadonlyMap<string, string> {
  const rules = new Map<string, string>();
  const pending: unknown[] = [document];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== 'object' || node === null) {
      continue;
    }
    const { format, 'x-rule': rule }: { format?: unknown; 'x-rule'?: unknown } = node;
    if (typeof format === 'string' && typeof rule === 'string' && Object.hasOwn(formats, format)) {
      rules.set(format, rule);
    }
    for (const value of Object.values(node)) {
      pending.push(value);
    }
  }
  return rules;
}

/** Returns the message of a violated format with the rule of the contract. */
export function withRule(message: string, rules: ReadonlyMap<string, string>): string {
  const [, format = ''] = /^must match format "([^"]*)"$/.exec(message) ?? [];
  const rule = rules.get(format);
  return rule === undefined ? message : `${message}: ${rule}`;
}
