import { ts } from './libraries.ts';
import { withMembers } from './members.ts';

/**
 * Removes what generated declarations have only for the sake of completeness: the methods that a path does not have, its
 * parameters if it declares none for all methods, bodies and locations of parameters that an operation does not have, and
 * headers of responses that declare none.
 */
export function omitUnusedMembers(declarations: readonly ts.Node[]): ts.Node[] {
  return declarations.map((declaration) => {
    if (!ts.isInterfaceDeclaration(declaration)) {
      return declaration;
    }
    switch (declaration.name.text) {
      case 'paths':
      case 'webhooks':
        return convertMembers(declaration, (path) => withoutUnusedMethods(path));
      case 'operations':
        return convertMembers(declaration, (operation) => withoutUnusedParts(operation));
      case 'components':
        return withMembers(
          declaration,
          declaration.members.map((member) =>
            isNamed(member, 'responses') ? withType(member, withoutUnusedHeaders) : member,
          ),
        );
      default:
        return declaration;
    }
  });
}

/** Converts the members of an interface with an object type. */
const convertMembers = (
  declaration: ts.InterfaceDeclaration,
  convert: (type: ts.TypeLiteralNode) => ts.TypeLiteralNode,
): ts.InterfaceDeclaration =>
  withMembers(
    declaration,
    declaration.members.map((member) => withType(member, convert)),
  );

/** Path items contain operations without an ID, and references to all others. */
function withoutUnusedMethods(path: ts.TypeLiteralNode): ts.TypeLiteralNode {
  const members = path.members
    .filter((member) => !isAbsent(member) && !hasOnly(member, isAbsent))
    .map((member) => (isNamed(member, 'parameters') ? member : withType(member, withoutUnusedParts)));
  return ts.factory.createTypeLiteralNode(members);
}

function withoutUnusedParts(operation: ts.TypeLiteralNode): ts.TypeLiteralNode {
  const members = operation.members
    .filter((member) => !(isNamed(member, 'requestBody') && isAbsent(member)))
    .map((member) => {
      if (isNamed(member, 'parameters')) {
        return withType(member, withoutUnusedLocations);
      }
      return isNamed(member, 'responses') ? withType(member, withoutUnusedHeaders) : member;
    });
  return ts.factory.createTypeLiteralNode(members);
}

const withoutUnusedLocations = (parameters: ts.TypeLiteralNode): ts.TypeLiteralNode =>
  ts.factory.createTypeLiteralNode(parameters.members.filter((member) => !isAbsent(member)));

/** Removes the headers of each response that declares none: the library adds headers with any name. */
function withoutUnusedHeaders(responses: ts.TypeLiteralNode): ts.TypeLiteralNode {
  const withoutHeaders = (response: ts.TypeLiteralNode) =>
    ts.factory.createTypeLiteralNode(
      response.members.filter(
        (member) => !(isNamed(member, 'headers') && hasOnly(member, ts.isIndexSignatureDeclaration)),
      ),
    );
  return ts.factory.createTypeLiteralNode(
    responses.members.map((response) => withType(response, withoutHeaders)),
  );
}

/** Converts the type of a property if it is an object. Its comments remain. */
function withType(
  member: ts.TypeElement,
  convert: (type: ts.TypeLiteralNode) => ts.TypeLiteralNode,
): ts.TypeElement {
  if (!ts.isPropertySignature(member) || !member.type || !ts.isTypeLiteralNode(member.type)) {
    return member;
  }
  const { modifiers, name, questionToken, type } = member;
  const converted = ts.factory.createPropertySignature(modifiers, name, questionToken, convert(type));
  return ts.setSyntheticLeadingComments(converted, ts.getSyntheticLeadingComments(member));
}

const isNamed = (member: ts.TypeElement, name: string): boolean =>
  member.name !== undefined && ts.isIdentifier(member.name) && member.name.text === name;

/** Whether a member is declared as `name?: never`. */
const isAbsent = (member: ts.TypeElement): boolean =>
  ts.isPropertySignature(member) &&
  member.questionToken !== undefined &&
  member.type?.kind === ts.SyntaxKind.NeverKeyword;

/** Whether the type of a member is an object with only members that pass. */
const hasOnly = (member: ts.TypeElement, passes: (inner: ts.TypeElement) => boolean): boolean =>
  ts.isPropertySignature(member) &&
  member.type !== undefined &&
  ts.isTypeLiteralNode(member.type) &&
  member.type.members.every(passes);
