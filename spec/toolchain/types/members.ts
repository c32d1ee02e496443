import { ts } from './libraries.ts';

/** Returns an interface with other members. */
export function withMembers(
  declaration: ts.InterfaceDeclaration,
  members: readonly ts.TypeElement[],
): ts.InterfaceDeclaration {
  const { modifiers, name, typeParameters, heritageClauses } = declaration;
  return ts.factory.updateInterfaceDeclaration(
    declaration,
    modifiers,
    name,
    typeParameters,
    heritageClauses,
    members,
  );
}
