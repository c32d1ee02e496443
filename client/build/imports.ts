import ts from 'typescript5';

/** Reference to another file or a package. */
export interface Reference {
  /** Text between the quotes, such as `./errors.ts` or `express`. */
  specifier: string;

  /** Offsets of the specifier in the text, without its quotes. */
  start: number;
  end: number;
}

/** References by the text of a module. Several steps of a build read the same modules. */
const cache = new Map<string, readonly Reference[]>();

/**
 * Finds all references of a module: imports and exports, `import()` in code and types, calls of `require` and
 * `import.meta.resolve`, and `new URL(…, import.meta.url)`, which starts workers.
 * @param text TypeScript, JavaScript or a declaration file
 * @param fileName name of the file. Its extension selects the syntax
 */
export function findReferences(text: string, fileName: string): readonly Reference[] {
  const references = cache.get(text) ?? parseReferences(text, fileName);
  cache.set(text, references);
  return references;
}

function parseReferences(text: string, fileName: string): Reference[] {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest);
  const references: Reference[] = [];
  const add = (literal: ts.Node | undefined) => {
    if (literal !== undefined && ts.isStringLiteralLike(literal)) {
      const start = literal.getStart(source) + 1;
      references.push({ specifier: literal.text, start, end: literal.getEnd() - 1 });
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal);
    } else if (ts.isCallExpression(node) && isModuleLookup(node.expression, source)) {
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
    references.push({ specifier, start, end });
  }
  return references;
}

/** Replaces the specifiers of all references of a module. */
export function replaceSpecifiers(
  text: string,
  fileName: string,
  replace: (specifier: string) => string,
): string {
  let result = text;
  for (const { specifier, start, end } of findReferences(text, fileName).toReversed()) {
    result = result.slice(0, start) + replace(specifier) + result.slice(end);
  }
  return result;
}

/** Whether a callee resolves a module: `import`, `require`, `require.resolve` or `import.meta.resolve`. */
function isModuleLookup(callee: ts.Expression, source: ts.SourceFile): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword || isRequire(callee, source)) {
    return true;
  }
  return (
    ts.isPropertyAccessExpression(callee) &&
    callee.name.text === 'resolve' &&
    (ts.isMetaProperty(callee.expression) || isRequire(callee.expression, source))
  );
}

/** Whether an expression is `require` or a call of `createRequire`. */
function isRequire(expression: ts.Expression, source: ts.SourceFile): boolean {
  return (
    (ts.isIdentifier(expression) && expression.text === 'require') ||
    (ts.isCallExpression(expression) && expression.expression.getText(source) === 'createRequire')
  );
}

/**
 * Returns the name of the package that a specifier belongs to.
 * @returns undefined for a path or a built-in module of Node
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
