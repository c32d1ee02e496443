import { ts } from './libraries.ts';
import { withMembers } from './members.ts';

/** Names that generated declarations have or use, and names that TypeScript does not allow for a type. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  (
    '$defs components operations paths webhooks ' +
    'Array Blob Omit OneOf Pick Readonly ReadonlyArray Record WithRequired Without XOR ' +
    'any bigint boolean never null number object string symbol undefined unknown void ' +
    'await break case catch class const continue debugger default delete do else enum export extends false finally ' +
    'for function if implements import in instanceof interface let new package private protected public return static ' +
    'super switch this throw true try typeof var while with yield'
  ).split(' '),
);

/**
 * Returns the names of the types of models: their own where it is an identifier, else one from its words. Unique,
 * and the same for the same models.
 */
export function modelNames(models: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const used = new Set(RESERVED_NAMES);
  const add = (model: string, preferred: string) => {
    let name = preferred;
    for (let count = 2; used.has(name); count += 1) {
      name = `${preferred}${count}`;
    }
    used.add(name);
    names.set(model, name);
  };
  const isIdentifier = (model: string) => /^[A-Za-z_$][\w$]*$/.test(model) && !RESERVED_NAMES.has(model);
  // First, so that no other name takes the name of a model.
  for (const model of models.filter(isIdentifier)) {
    add(model, model);
  }
  for (const model of models.filter((name) => !isIdentifier(name))) {
    add(model, pascalCase(model));
  }
  return names;
}

function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9$]+/).filter((word) => word !== '');
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z$]/.test(name) ? name : `Model${name}`;
}

/**
 * Declares a type for each model of generated declarations, which editors and error messages then show by name:
 * `Space` instead of its properties. `components["schemas"]` refers to these types.
 */
export function nameModels(declarations: readonly ts.Node[]): ts.Node[] {
  return declarations.flatMap((declaration) => {
    if (!ts.isInterfaceDeclaration(declaration) || declaration.name.text !== 'components') {
      return [declaration];
    }
    const models: ts.TypeAliasDeclaration[] = [];
    const members = declaration.members.map((member) =>
      isProperty(member, 'schemas') && ts.isTypeLiteralNode(member.type)
        ? withType(member, moveModels(member.type, models))
        : member,
    );
    return [withMembers(declaration, members), ...models];
  });
}

/** Replaces the types of models by references to declarations, which are added to a list. */
function moveModels(schemas: ts.TypeLiteralNode, models: ts.TypeAliasDeclaration[]): ts.TypeLiteralNode {
  const properties = schemas.members.filter((member) => ts.isPropertySignature(member));
  const names = modelNames(properties.map(({ name }) => textOf(name)));
  return ts.factory.createTypeLiteralNode(
    properties.map((property) => {
      const name = names.get(textOf(property.name));
      if (name === undefined || property.type === undefined) {
        return property;
      }
      const model = ts.factory.createTypeAliasDeclaration(
        [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)],
        name,
        undefined,
        property.type,
      );
      models.push(ts.setSyntheticLeadingComments(model, ts.getSyntheticLeadingComments(property)));
      return ts.setSyntheticLeadingComments(
        withType(property, ts.factory.createTypeReferenceNode(name)),
        undefined,
      );
    }),
  );
}

function isProperty(
  member: ts.TypeElement,
  name: string,
): member is ts.PropertySignature & { type: ts.TypeNode } {
  return ts.isPropertySignature(member) && member.type !== undefined && textOf(member.name) === name;
}

function withType(property: ts.PropertySignature, type: ts.TypeNode): ts.PropertySignature {
  const { modifiers, name, questionToken } = property;
  return ts.factory.createPropertySignature(modifiers, name, questionToken, type);
}

/** Text of a name: an identifier, a quoted name or a number. */
function textOf(name: ts.PropertyName): string {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name) ? name.text : '';
}
