import type { ts as compiler } from '../types/libraries.ts';

/** Comments that the compiler reads. */
const READ_COMMENT = /\/\/\/|@ts-|@jsx/;

/** TypeScript files. In JavaScript, comments declare types. */
const TYPESCRIPT_FILE = /\.[cm]?tsx?$/;

/** JSON files of which the compiler reads only the types of values. Those of packages and compilers are configuration. */
const DATA_FILE = /(?<!(?:^|\/)(?:package|[tj]sconfig[^/]*))\.json$/;

/**
 * Whether two versions of a file have the same types at the same tokens, so that a program without errors remains one:
 * TypeScript that differs in comments and spaces, and JSON that differs in strings.
 */
export async function isSameCode(path: string, before: string, after: string): Promise<boolean> {
  if (DATA_FILE.test(path)) {
    const types = typesOf(before);
    return types !== undefined && types === typesOf(after);
  }
  if (!TYPESCRIPT_FILE.test(path)) {
    return false;
  }
  const tokens = await tokensOf(path, before);
  return tokens !== undefined && tokens === (await tokensOf(path, after));
}

/** Returns a JSON text with empty strings as values; `undefined` if it is not JSON. */
function typesOf(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  // Names of members are followed by a colon.
  return text.replaceAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g, (string, colon?: string) => (colon ? string : '""'));
}

/**
 * Returns the tokens of a source file, with the comments that the compiler reads, and with the line breaks between them,
 * which can end a statement; `undefined` if the file has syntax errors.
 */
async function tokensOf(path: string, text: string): Promise<string | undefined> {
  // Loaded only after an edit: the compiler is large.
  const { ts } = await import('../types/libraries.ts');
  const file: compiler.SourceFile & { parseDiagnostics?: readonly unknown[] } = ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
  );
  // The declarations of the compiler omit this property, and programs that report it read other files.
  if (file.parseDiagnostics?.length !== 0) {
    return undefined;
  }
  const tokens: string[] = [];
  const visit = (node: compiler.Node): void => {
    if (ts.isJSDoc(node)) {
      return;
    }
    const children = node.getChildren(file);
    if (children.length > 0) {
      children.forEach(visit);
      return;
    }
    const start = node.getStart(file);
    const between = text.slice(node.pos, start);
    const isLineStart = node.pos === 0 || /[\n\r\u2028\u2029]/.test(between);
    const gap = READ_COMMENT.test(between) ? between : isLineStart ? '\n' : ' ';
    tokens.push(gap, text.slice(start, node.end));
  };
  visit(file);
  return tokens.join('\0');
}
