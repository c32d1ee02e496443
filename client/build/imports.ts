import ts from 'typescript';

/** One place where a file names another file or a package. */
export interface Reference {
  /** What stands in the quotes, such as `./errors.ts` or `express`. */
  specifier: string;

  /** Where the specifier begins and ends in the text, without its quotes. */
  start: number;
  end: number;
}

/**
 * Finds every place where a module names another: imports and exports, `import()` in code and types, what `require`
 * and `import.meta.resolve` look up, and `new URL(…, import.meta.url)`, by which workers are started.
 * @param text TypeScript, JavaScript or a declaration file
 * @param fileName its name, whose ending says which of them it is
 */
export function findReferences(text: string, fileName: string): Reference[] {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const found: Reference[] = [];
  const add = (literal: ts.Node | undefined) => {
    if (literal !== undefined && ts.isStringLiteralLike(literal)) {
      const start = literal.getStart(source) + 1;
      found.push({ specifier: literal.text, start, end: literal.getEnd() - 1 });
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal);
    } else if (ts.isCallExpression(node) && looksUp(node.expression)) {
      add(node.arguments[0]);
    } else if (ts.isNewExpression(node) && node.expression.getText(source) === 'URL') {
      if (node.arguments?.[1]?.getText(source) === 'import.meta.url') {
        add(node.arguments[0]);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const { fileName: specifier, pos: start, end } of source.typeReferenceDirectives) {
    found.push({ specifier, start, end });
  }
  return found;
}

/** Whether calling this looks a module up: `import`, `require`, `require.resolve`, `import.meta.resolve`. */
function looksUp(callee: ts.Expression): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword || isRequire(callee)) {
    return true;
  }
  return (
    ts.isPropertyAccessExpression(callee) &&
    callee.name.text === 'resolve' &&
    (ts.isMetaProperty(callee.expression) || isRequire(callee.expression))
  );
}

/** `require`, or a call of `createRequire` that makes one. */
function isRequire(expression: ts.Expression): boolean {
  return (
    (ts.isIdentifier(expression) && expression.text === 'require') ||
    (ts.isCallExpression(expression) && expression.expression.getText() === 'createRequire')
  );
}

/**
 * Names the package that a specifier belongs to.
 * @returns undefined for a path and for what is a part of Node itself
 */
export function packageOf(specifier: string): string | undefined {
  if (/^(\.|\/|node:|data:)/.test(specifier)) {
    return undefined;
  }
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
