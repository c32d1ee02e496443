import { capitalize } from '../names.ts';
import { ts } from './libraries.ts';
import { withMembers } from './members.ts';

/** Names that generated declarations have or use, and names that TypeScript does not allow for a type. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  (
    '$defs components operations paths webhooks arguments eval ' +
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
export const modelNames = (models: readonly string[]): Map<string, string> => typeNames(models, '', []);

/**
 * Returns the names of the types of components: see {@link modelNames}.
 *
 * @param suffix end of each name
 * @param taken further names that they must not have
 */
function typeNames(
  components: readonly string[],
  suffix: string,
  taken: Iterable<string>,
): Map<string, string> {
  const names = new Map<string, string>();
  const used = new Set([...RESERVED_NAMES, ...taken]);
  const add = (component: string, word: string) => {
    let name = `${word}${suffix}`;
    for (let count = 2; used.has(name); count += 1) {
      name = `${word}${suffix}${count}`;
    }
    used.add(name);
    names.set(component, name);
  };
  const isIdentifier = (text: string) =>
    /^[A-Za-z_$][\w$]*$/.test(text) && !RESERVED_NAMES.has(`${text}${suffix}`);
  // First, so that no other name takes the name of a component.
  for (const component of components.filter(isIdentifier)) {
    add(component, component);
  }
  for (const component of components.filter((name) => !isIdentifier(name))) {
    add(component, pascalCase(component));
  }
  return names;
}

function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9$]+/).filter((word) => word !== '');
  const name = words.map(capitalize).join('');
  return /^[A-Za-z$]/.test(name) ? name : `Model${name}`;
}

/** Types by the references that they replace: `components["schemas"]["Space"]` has the key `schemas Space`. */
type NamedTypes = Map<string, ts.TypeNode>;

/**
 * Declares a type for each model of generated declarations and for each response that operations share, and refers to
 * them by these names, as editors and error messages then show them: `Space` instead of its properties.
 * `components["schemas"]` contains the same types. References to parameters with such a type become references to the
 * type.
 */
export function nameModels(declarations: readonly ts.Node[]): ts.Node[] {
  const types: NamedTypes = new Map();
  const named = declarations.flatMap((declaration) => {
    if (!ts.isInterfaceDeclaration(declaration) || declaration.name.text !== 'components') {
      return [declaration];
    }
    const moved: ts.TypeAliasDeclaration[] = [];
    const models = modelNames(namesIn(declaration, 'schemas'));
    const responses = typeNames(namesIn(declaration, 'responses'), 'Response', models.values());
    const members = declaration.members.map((member) => {
      for (const [section, names] of Object.entries({ schemas: models, responses })) {
        if (isProperty(member, section) && ts.isTypeLiteralNode(member.type)) {
          return withType(member, moveTypes(member.type, section, names, types, moved));
        }
      }
      return member;
    });
    addParameters(members, types);
    return [withMembers(declaration, members), ...moved];
  });
  return named.map((declaration) => withNamedTypes(declaration, types));
}

/** Returns the names of the components in a section. */
function namesIn({ members }: ts.InterfaceDeclaration, section: string): string[] {
  const type = members.find((member) => isProperty(member, section))?.type;
  return type && ts.isTypeLiteralNode(type)
    ? type.members.filter(ts.isPropertySignature).map(({ name }) => propertyNameOf(name))
    : [];
}

/** Replaces the types of the components in a section by references to declarations, which are added to a list. */
function moveTypes(
  components: ts.TypeLiteralNode,
  section: string,
  names: ReadonlyMap<string, string>,
  types: NamedTypes,
  declarations: ts.TypeAliasDeclaration[],
): ts.TypeLiteralNode {
  const properties = components.members.filter(ts.isPropertySignature);
  return ts.factory.createTypeLiteralNode(
    properties.map((property) => {
      const component = propertyNameOf(property.name);
      const name = names.get(component);
      if (name === undefined || property.type === undefined) {
        return property;
      }
      const declaration = ts.factory.createTypeAliasDeclaration(
        [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)],
        name,
        undefined,
        property.type,
      );
      declarations.push(
        ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(property)),
      );
      const reference = ts.factory.createTypeReferenceNode(name);
      types.set(`${section} ${component}`, reference);
      return ts.setSyntheticLeadingComments(withType(property, reference), undefined);
    }),
  );
}

/** Adds the types of parameters that are models or keywords such as `string`. */
function addParameters(components: readonly ts.TypeElement[], types: NamedTypes): void {
  const parameters = components.find((member) => isProperty(member, 'parameters'))?.type;
  if (!parameters || !ts.isTypeLiteralNode(parameters)) {
    return;
  }
  for (const { name, type: declared } of parameters.members.filter(ts.isPropertySignature)) {
    const type = declared && (namedTypeOf(declared, types) ?? declared);
    if (type && (ts.isTypeReferenceNode(type) || KEYWORDS.has(type.kind))) {
      types.set(`parameters ${propertyNameOf(name)}`, type);
    }
  }
}

const KEYWORDS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.BooleanKeyword,
  ts.SyntaxKind.NumberKeyword,
  ts.SyntaxKind.StringKeyword,
]);

/** Replaces references by `components` with named types. */
const withNamedTypes = (node: ts.Node, types: NamedTypes): ts.Node =>
  namedTypeOf(node, types) ?? ts.visitEachChild(node, (child) => withNamedTypes(child, types), undefined);

/** Returns the type that replaces a reference such as `components["schemas"]["Space"]`; undefined for other nodes. */
function namedTypeOf(node: ts.Node, types: NamedTypes): ts.TypeNode | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) {
    return undefined;
  }
  const { objectType: components, indexType: section } = node.objectType;
  const isComponent =
    ts.isTypeReferenceNode(components) &&
    ts.isIdentifier(components.typeName) &&
    components.typeName.text === 'components';
  return isComponent ? types.get(`${literalOf(section)} ${literalOf(node.indexType)}`) : undefined;
}

const literalOf = (type: ts.TypeNode): string | undefined =>
  ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? type.literal.text : undefined;

function isProperty(
  member: ts.TypeElement,
  name: string,
): member is ts.PropertySignature & { type: ts.TypeNode } {
  return ts.isPropertySignature(member) && member.type !== undefined && propertyNameOf(member.name) === name;
}

function withType(property: ts.PropertySignature, type: ts.TypeNode): ts.PropertySignature {
  const { modifiers, name, questionToken } = property;
  return ts.factory.createPropertySignature(modifiers, name, questionToken, type);
}

/** Text of a name: an identifier, a quoted name or a number. */
function propertyNameOf(name: ts.PropertyName): string {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name) ? name.text : '';
}
