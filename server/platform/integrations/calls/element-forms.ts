import { isObject } from '../../../contract/json-values.ts';

/**
 * Brings the result of a script into the form of the contract: the runtime library of integrations turns what authors write
 * between tags into lists, with the values of conditions and of nested lists in them, which its types do not check.
 */

/** Properties with elements, or with lists of them. */
const ELEMENTS: ReadonlySet<string> = new Set([
  'children',
  'buttons',
  'controls',
  'header',
  'footer',
  'hint',
  'subtitle',
  'options',
  'submit',
  'element',
  'icon',
]);

/** Elements with only elements as children: text between their tags is also an element. */
const WITHOUT_PLAIN_TEXT: ReadonlySet<unknown> = new Set([
  'block',
  'modal',
  'configuration',
  'hstack',
  'vstack',
  'step',
]);

/** Returns the result of a script in the form of the contract, if it has the shape of one. */
export function contractResult(value: unknown): unknown {
  if (!isObject(value) || !('element' in value)) {
    return value;
  }
  // Whether components receive the claims of visitors is not for scripts to decide: none does.
  const { type = 'element', element, canAccessVisitorClaims: _, ...rest } = value;
  return { type, element: contractElement(element), ...rest };
}

function contractElement(value: unknown): unknown {
  if (!isObject(value)) {
    return value;
  }
  const entries = Object.entries(value).flatMap(([name, property]) => {
    if (!ELEMENTS.has(name)) {
      return [[name, property]];
    }
    return isShown(property) ? [[name, contractProperty(value.type, name, property)]] : [];
  });
  return Object.fromEntries(entries);
}

function contractProperty(type: unknown, name: string, value: unknown): unknown {
  if (!Array.isArray(value)) {
    return typeof value === 'number' ? String(value) : contractElement(value);
  }
  if (name === 'controls') {
    return shownItems(value).map((item) =>
      Array.isArray(item) ? shownItems(item).map(contractElement) : contractElement(item),
    );
  }
  const items = shownItems(value.flat(Number.POSITIVE_INFINITY)).map((item) =>
    typeof item === 'number' ? String(item) : contractElement(item),
  );
  return name === 'children' && WITHOUT_PLAIN_TEXT.has(type) ? items.flatMap(withoutPlainText) : items;
}

/** Conditions that do not hold leave their values behind. */
const isShown = (value: unknown): boolean => value !== null && typeof value !== 'boolean';

const shownItems = (items: readonly unknown[]): unknown[] => items.filter(isShown);

function withoutPlainText(item: unknown): unknown[] {
  if (typeof item !== 'string') {
    return [item];
  }
  return item.trim() === '' ? [] : [{ type: 'text', children: [item] }];
}
