import { expect, test } from 'vitest';
import { astToString, ts } from '../../../spec/toolchain/types/libraries.ts';
import { printDeclarations } from '../../../spec/toolchain/types/print.ts';

const { factory } = ts;
const reference = (name: string) => factory.createTypeReferenceNode(name);
const text = (value: string) => factory.createLiteralTypeNode(factory.createStringLiteral(value));
const object = (...members: ts.TypeElement[]) => factory.createTypeLiteralNode(members);

function property(name: string | ts.PropertyName, type: ts.TypeNode, comment?: string): ts.PropertySignature {
  const question = factory.createToken(ts.SyntaxKind.QuestionToken);
  const signature = factory.createPropertySignature(undefined, name, question, type);
  return comment === undefined
    ? signature
    : ts.addSyntheticLeadingComment(signature, ts.SyntaxKind.MultiLineCommentTrivia, comment, true);
}

const alias = (type: ts.TypeNode) => factory.createTypeAliasDeclaration(undefined, 'A', undefined, type);

const key = factory.createParameterDeclaration(undefined, undefined, 'key', undefined, reference('string'));
const index = factory.createIndexSignature(undefined, [key], reference('A'));
const readonlyModifier = factory.createModifier(ts.SyntaxKind.ReadonlyKeyword);

const TYPES = {
  objects: object(
    property('a', object(property(factory.createNumericLiteral(200), object()), index)),
    factory.createPropertySignature(
      [readonlyModifier],
      factory.createStringLiteral('b c'),
      undefined,
      reference('B'),
    ),
  ),
  comments: object(
    property('a', reference('A'), '* One line. '),
    property('b', object(property('c', reference('C'), '*\n * Two\n *     lines\n *\n\n indented\n ')), '* '),
    property('d', reference('D'), '*\n *\ttab\n '),
    property('e', reference('E'), ' no documentation '),
    property('f', reference('F'), '*\n * a\r\n * b\u2028 * c\n '),
  ),
  strings: factory.createUnionTypeNode([text('plain'), text('"'), text('\\'), text('é\n'), text('')]),
  lists: factory.createArrayTypeNode(
    factory.createUnionTypeNode([
      reference('A'),
      factory.createIntersectionTypeNode([reference('B'), object()]),
    ]),
  ),
  tuples: factory.createTupleTypeNode([
    factory.createOptionalTypeNode(reference('A')),
    factory.createRestTypeNode(factory.createArrayTypeNode(object(property('b', reference('B'))))),
  ]),
  generics: factory.createTypeReferenceNode('Omit', [reference('A'), text('b')]),
  negative: factory.createLiteralTypeNode(
    factory.createPrefixUnaryExpression(ts.SyntaxKind.MinusToken, factory.createNumericLiteral(1)),
  ),
};

test.each(Object.entries(TYPES))('prints %s as the compiler does', (_, type) => {
  const declarations = [
    alias(type),
    factory.createInterfaceDeclaration(
      [factory.createModifier(ts.SyntaxKind.ExportKeyword)],
      'B',
      undefined,
      undefined,
      [property('inner', type)],
    ),
    factory.createInterfaceDeclaration(undefined, 'C', undefined, undefined, []),
    ...ts.createSourceFile('a.ts', 'type D<T> = [T];', ts.ScriptTarget.Latest).statements,
  ];
  for (const declaration of declarations) {
    expect(printDeclarations([declaration])).toBe(astToString([declaration]));
  }
  expect(printDeclarations(declarations.slice(0, 2))).toBe(astToString(declarations.slice(0, 2)));
});
