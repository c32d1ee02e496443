/** Why a side of a scenario fails, and a pattern of all problems that it explains. */
export type Reason = readonly [reason: string, problems: RegExp];

/** Why the sides of a scenario fail. */
export interface Reasons {
  router?: Reason;
  client?: Reason;
}

const PATH = 'The wire is not expressible in OpenAPI 3.1: ';
const INVALID_RESPONSE =
  'The response violates the contract on purpose, so that the server does not send it: ';
const NEXT_PAGE = 'The contract has no operation for the URL of the next page.';

const NO_OPERATION = /^No operation has the method and path/;
const both = (reason: string): Reasons => ({
  router: [reason, NO_OPERATION],
  client: [reason, NO_OPERATION],
});
const eachOf = (names: readonly string[], reason: Reasons) =>
  Object.fromEntries(names.map((name) => [name, reason]));
const each = (prefix: string, names: readonly string[], reason: Reasons) =>
  eachOf(
    names.map((name) => `${prefix}_${name}`),
    reason,
  );

/** The scenarios that fail, with the reason. One that passes all the same is reported. */
export const REASONS: Readonly<Record<string, Reasons>> = {
  Authentication_OAuth2_invalid: {
    router: [
      'The mock API sends no token, for which the router returns 401 (RFC 9110, section 15.5.2), not 403.',
      /^status: expected 403, received 401/,
    ],
  },
  Parameters_Path_optional: both(`${PATH}path parameters are required. The path with the parameter passes.`),
  ...each('Payload_ContentNegotiation', ['SameBody', 'DifferentBody'], {
    router: [
      'An Accept header without a declared type is a 406 (RFC 9110, section 15.5.7), not 400.',
      /^status: expected 400, received 406/,
    ],
  }),
  ...each('Payload_JsonMergePatch', ['updateResource', 'updateOptionalResource'], {
    router: [
      'The contract does not permit null: its body is a plain model with the media type of a merge patch, instead of MergePatchUpdate.',
      /^status: expected 200, received 400/,
    ],
  }),
  ...each(
    'Payload_Pageable',
    ['ServerDrivenPagination_link', 'ServerDrivenPagination_linkString', 'ServerDrivenPagination_nestedLink'],
    {
      router: [NEXT_PAGE, NO_OPERATION],
      client: [
        'The client requests all pages from the path of the list, with the query of the link.',
        /^The list does not continue/,
      ],
    },
  ),
  Payload_Pageable_XmlPagination_listWithNextLink: both(
    `${NEXT_PAGE} XML is a text, whose links are not followed.`,
  ),
  ...each(
    'Routes_PathParameters_PathExpansion_Explode',
    ['array', 'record'],
    both(`${PATH}a list or object with a segment for each item.`),
  ),
  ...each(
    'Routes_QueryParameters_QueryContinuation',
    ['Standard', 'Explode'].flatMap((style) =>
      ['primitive', 'array', 'record'].map((type) => `${style}_${type}`),
    ),
    both(`${PATH}a query in the path.`),
  ),
  Type_Enum_Fixed_String_putUnknownValue: {
    router: [
      'An invalid request is a 400 (RFC 9110, section 15.5.1), not 500.',
      /^status: expected 500, received 400/,
    ],
  },
  ...each(
    'Type_Model_Inheritance',
    [
      ...['EnumDiscriminator_getExtensibleModel', 'EnumDiscriminator_getFixedModel'],
      ...['NestedDiscriminator_get', 'SingleDiscriminator_get'],
    ].flatMap((name) => [`${name}MissingDiscriminator`, `${name}WrongDiscriminator`]),
    {
      router: [
        `${INVALID_RESPONSE}a discriminator that is missing, or that names no model.`,
        /violates the contract: .*(kind|discriminator)|^status: expected 200, received 500/,
      ],
    },
  ),
};
