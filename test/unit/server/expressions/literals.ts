import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript5';
import { isCertainlyLinear } from '../../../../server/contract/validation/patterns/patterns.ts';

const root = join(import.meta.dirname, '../../../..');

/** Returns the regular expressions of the source that are not certain to take linear time, with their places. */
export async function uncertainLiterals(): Promise<{ all: number; uncertain: Map<string, string[]> }> {
  const places = new Map<string, string[]>();
  const paths = await Array.fromAsync(
    glob(['{server,client,spec/toolchain,spec/checks}/**/*.{ts,js}', 'spec/checks.js'], {
      cwd: root,
      exclude: ['**/node_modules/**', '**/*.d.ts'],
    }),
  );
  for (const path of paths.sort()) {
    const text = await readFile(join(root, path), 'utf8');
    const visit = (node: ts.Node) => {
      if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
        const literal = node.getText(source);
        places.set(literal, [...(places.get(literal) ?? []), path]);
      }
      ts.forEachChild(node, visit);
    };
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
    visit(source);
  }
  const uncertain = [...places].filter(([literal]) => {
    const end = literal.lastIndexOf('/');
    return !isCertainlyLinear(literal.slice(1, end), literal.slice(end + 1));
  });
  return { all: places.size, uncertain: new Map(uncertain) };
}
