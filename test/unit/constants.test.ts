import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript5';
import { expect, test } from 'vitest';
import { readImports } from '../support/module-imports.ts';

// A name in capitals is a value that never changes. Caches, instances and objects of functions are named like variables.

const root = join(import.meta.dirname, '../..');
const CAPITALS = /^[A-Z][A-Z0-9_]*$/;
/** Classes of which an instance with arguments is a value: a cache is created empty. */
const VALUE_CLASSES = ['RegExp', 'Set', 'Map', 'URL'];

/** Whether an expression is a value: text, numbers, patterns, and lists and objects of values. */
function isValue(node: ts.Expression): boolean {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
    return isValue(node.expression);
  }
  if (ts.isPrefixUnaryExpression(node)) {
    return isValue(node.operand);
  }
  if (ts.isBinaryExpression(node)) {
    return isValue(node.left) && isValue(node.right);
  }
  if (ts.isArrayLiteralExpression(node)) {
    const items = node.elements.map((item) => (ts.isSpreadElement(item) ? item.expression : item));
    return items.length > 0 && items.every(isValue);
  }
  if (ts.isObjectLiteralExpression(node)) {
    const isMember = (member: ts.ObjectLiteralElementLike) =>
      ts.isPropertyAssignment(member) && isValue(member.initializer);
    return node.properties.length > 0 && node.properties.every(isMember);
  }
  if (ts.isNewExpression(node)) {
    const { arguments: values = [] } = node;
    return VALUE_CLASSES.includes(node.expression.getText()) && values.length > 0 && values.every(isValue);
  }
  return (
    (ts.isIdentifier(node) && CAPITALS.test(node.text)) ||
    ts.isTemplateExpression(node) ||
    ts.isStringLiteralLike(node) ||
    ts.isNumericLiteral(node) ||
    ts.isRegularExpressionLiteral(node)
  );
}

/** Returns the constants of a module whose value never changes. */
function valuesOf(text: string, path: string): string[] {
  const module = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const declarations = module.statements
    .filter(ts.isVariableStatement)
    .filter(({ declarationList }) => (declarationList.flags & ts.NodeFlags.Const) !== 0)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  return declarations.flatMap(({ name, initializer }) =>
    ts.isIdentifier(name) && initializer && isValue(initializer) ? [name.text] : [],
  );
}

test('constants of modules are named in capitals', async () => {
  const modules = await readImports(root, ['server/**/*.ts', 'spec/**/*.ts', 'client/**/*.ts']);
  const problems: string[] = [];
  let count = 0;
  for (const path of modules.keys()) {
    const names = valuesOf(await readFile(join(root, path), 'utf8'), path);
    count += names.length;
    problems.push(...names.filter((name) => !CAPITALS.test(name)).map((name) => `${path}: ${name}`));
  }
  expect(count).toBeGreaterThan(500);
  expect(problems).toEqual([]);
});
