import { astToString, ts } from './libraries.ts';

/** Indentation of a level. */
const INDENT = '    ';

/** Text that a string literal contains as it is. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

/** Line breaks of comments that the compiler indents in its own way. */
const UNUSUAL_SPACE = /[\t\v\f\r\u0085\u2028\u2029]/;

/** A node that only the printer of the compiler prints. */
class UnusualNode extends Error {}

/**
 * Prints declarations as the printer of the compiler does, which takes a quarter of a generation, because it also prints
 * what it parsed, and counts lines. Declarations with nodes that types of schemas do not have are left to it.
 */
export function printDeclarations(declarations: readonly ts.Node[]): string {
  return declarations.map(printDeclaration).join('');
}

function printDeclaration(declaration: ts.Node): string {
  try {
    return `${commentsOf(declaration, '')}${declarationText(declaration)}\n`;
  } catch (error) {
    if (error instanceof UnusualNode) {
      return astToString([declaration]);
    }
    throw error;
  }
}

function declarationText(node: ts.Node): string {
  // Nodes with a position were parsed.
  if (node.pos >= 0) {
    throw new UnusualNode();
  }
  if (ts.isTypeAliasDeclaration(node) && node.typeParameters === undefined) {
    return `${modifiersOf(node.modifiers)}type ${node.name.text} = ${typeText(node.type, '')};`;
  }
  const isPlain = ts.isInterfaceDeclaration(node) && !node.typeParameters && !node.heritageClauses;
  if (isPlain && node.members.length > 0) {
    return `${modifiersOf(node.modifiers)}interface ${node.name.text} ${membersText(node.members, '')}`;
  }
  throw new UnusualNode();
}

/** @param indent of the line that the braces start and end on */
function membersText(members: readonly ts.TypeElement[], indent: string): string {
  const inner = indent + INDENT;
  let text = '{\n';
  for (const member of members) {
    text += `${commentsOf(member, inner)}${inner}${memberText(member, inner)};\n`;
  }
  return `${text}${indent}}`;
}

function memberText(member: ts.TypeElement, indent: string): string {
  if (ts.isPropertySignature(member) && member.type !== undefined) {
    const { modifiers, name, questionToken, type } = member;
    return `${modifiersOf(modifiers)}${nameText(name)}${questionToken ? '?' : ''}: ${typeText(type, indent)}`;
  }
  if (ts.isIndexSignatureDeclaration(member)) {
    const [parameter] = member.parameters;
    if (parameter?.type !== undefined && member.parameters.length === 1 && ts.isIdentifier(parameter.name)) {
      const key = `${parameter.name.text}: ${typeText(parameter.type, indent)}`;
      return `${modifiersOf(member.modifiers)}[${key}]: ${typeText(member.type, indent)}`;
    }
  }
  throw new UnusualNode();
}

function nameText(name: ts.PropertyName): string {
  if (ts.isIdentifier(name) || ts.isNumericLiteral(name)) {
    return name.text;
  }
  if (ts.isStringLiteral(name)) {
    return stringText(name);
  }
  throw new UnusualNode();
}

function typeText(type: ts.Node, indent: string): string {
  const textOf = (node: ts.Node) => typeText(node, indent);
  if (ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName)) {
    const list = type.typeArguments?.map(textOf).join(', ');
    return list === undefined ? type.typeName.text : `${type.typeName.text}<${list}>`;
  }
  if (ts.isTypeLiteralNode(type)) {
    return type.members.length === 0 ? '{}' : membersText(type.members, indent);
  }
  if (ts.isIndexedAccessTypeNode(type)) {
    return `${textOf(type.objectType)}[${textOf(type.indexType)}]`;
  }
  if (ts.isLiteralTypeNode(type)) {
    return literalText(type.literal);
  }
  if (ts.isUnionTypeNode(type)) {
    return type.types.map(textOf).join(' | ');
  }
  if (ts.isIntersectionTypeNode(type)) {
    return type.types.map(textOf).join(' & ');
  }
  if (ts.isArrayTypeNode(type)) {
    return `${textOf(type.elementType)}[]`;
  }
  if (ts.isParenthesizedTypeNode(type)) {
    return `(${textOf(type.type)})`;
  }
  // The library writes strings as identifiers, since the compiler escapes those that are not ASCII.
  if (ts.isIdentifier(type)) {
    return type.text;
  }
  const keyword = KEYWORDS.get(type.kind);
  if (keyword === undefined) {
    throw new UnusualNode();
  }
  return keyword;
}

const KEYWORDS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.StringKeyword, 'string'],
  [ts.SyntaxKind.NumberKeyword, 'number'],
  [ts.SyntaxKind.BooleanKeyword, 'boolean'],
  [ts.SyntaxKind.UnknownKeyword, 'unknown'],
  [ts.SyntaxKind.NeverKeyword, 'never'],
  [ts.SyntaxKind.ObjectKeyword, 'object'],
  [ts.SyntaxKind.UndefinedKeyword, 'undefined'],
]);

function literalText(literal: ts.LiteralTypeNode['literal']): string {
  switch (literal.kind) {
    case ts.SyntaxKind.NullKeyword:
      return 'null';
    case ts.SyntaxKind.TrueKeyword:
      return 'true';
    case ts.SyntaxKind.FalseKeyword:
      return 'false';
  }
  if (ts.isStringLiteral(literal)) {
    return stringText(literal);
  }
  if (ts.isNumericLiteral(literal)) {
    return literal.text;
  }
  throw new UnusualNode();
}

function stringText({ text }: ts.StringLiteral): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : printedString(text);
}

/** Prints a string with characters that the compiler escapes. */
function printedString(text: string): string {
  return astToString([ts.factory.createExpressionStatement(ts.factory.createStringLiteral(text))]).slice(
    0,
    -2,
  );
}

function modifiersOf(modifiers: readonly ts.ModifierLike[] = []): string {
  return modifiers
    .map(({ kind }) => {
      switch (kind) {
        case ts.SyntaxKind.ExportKeyword:
          return 'export ';
        case ts.SyntaxKind.ReadonlyKeyword:
          return 'readonly ';
        default:
          throw new UnusualNode();
      }
    })
    .join('');
}

/** Comments before a node, whose lines have its indentation. */
function commentsOf(node: ts.Node, indent: string): string {
  let text = '';
  for (const comment of ts.getSyntheticLeadingComments(node) ?? []) {
    const isBlock = comment.kind === ts.SyntaxKind.MultiLineCommentTrivia && comment.text.startsWith('*');
    if (!isBlock || !comment.hasTrailingNewLine || UNUSUAL_SPACE.test(comment.text)) {
      throw new UnusualNode();
    }
    const [first = '', ...others] = `/*${comment.text}*/`.split('\n');
    text += `${indent}${first.trimEnd()}\n`;
    for (const line of others) {
      text += `${indent}${line.trimEnd() || line}\n`;
    }
  }
  return text;
}
