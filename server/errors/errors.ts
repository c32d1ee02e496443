import { define, defineFieldConflict, defineForwarded } from './define-errors.ts';

/*
 * Errors of the platform. Each has a name, a status, a reason of the contract (`ErrorReason`) and a message: what
 * happened, then what to do. Errors that apply to any contract, such as `rate_limited`, are in contract/errors.ts.
 */

export { fieldInvalid, notFound, unavailable } from '../contract/errors.ts';
export * from './access-errors.ts';
export { DEFINED_REASONS } from './define-errors.ts';
export * from './quota-errors.ts';

export const cursorInvalid = define(
  400,
  'cursor_invalid',
  () => 'Invalid cursor: it was not issued by this list. Omit `page` to start over.',
  [{ in: 'query', path: 'page', message: 'is not a cursor of this list' }],
);

export const accessTokenLimitReached = define(
  409,
  'access_token_limit_reached',
  (owner: 'user' | 'installation', count: number, limit: number) =>
    `The ${owner} has ${count} access tokens, and the maximum is ${limit}. ${owner === 'user' ? 'Revoke one that is no longer used.' : 'Reuse one, or wait until one expires.'}`,
);

export const changeRequestArchived = define(
  409,
  'change_request_archived',
  () => 'The change request is archived. Set its status to draft or open first.',
);

export const changeRequestMerged = define(
  409,
  'change_request_merged',
  () => 'The change request is merged and cannot be changed. Create another change request.',
);

export const collectionCycle = define(
  409,
  'collection_cycle',
  () => 'A collection cannot be moved into itself or its descendants. Choose another parent.',
);

export const fileLimitExceeded = define(
  409,
  'file_limit_exceeded',
  (limit: number) => `The content would have more than ${limit} files. Divide them among several spaces.`,
);

export const publisherRequired = define(
  409,
  'publisher_required',
  () =>
    'You are not an admin of exactly one organization. Specify the organization that publishes the integration.',
);

export const hostnameTaken = define(
  409,
  'hostname_taken',
  (hostname: string) => `The hostname ${hostname} is already used. Choose another one.`,
);

export const idempotencyKeyReused = define(
  409,
  'idempotency_key_reused',
  () =>
    'The idempotency key was used for another request within 24 hours. Use a new key for each resource to create.',
);

export const responseNotRecorded = define(
  409,
  'response_not_recorded',
  () =>
    'A request with this idempotency key was processed, but the server ended before it recorded the response. Check whether the resource exists before you create it with another key.',
);

export const installationIncomplete = define(
  409,
  'installation_incomplete',
  (settings: readonly string[]) =>
    `The installation cannot be active: the required settings ${settings.join(', ')} have no value. Set them in \`configuration\`.`,
);

export const installationPaused = define(
  409,
  'installation_paused',
  () => 'The installation is paused. Set its status to active.',
);

export const spaceInstallationPaused = define(
  409,
  'space_installation_paused',
  () => 'The installation is paused on the space. Set its status on the space to active.',
);

export const integrationNameTaken = define(
  409,
  'integration_name_taken',
  (name: string) => `Another organization publishes an integration ${name}. Choose another name.`,
);

export const integrationTargetUnsupported = define(
  409,
  'integration_target_unsupported',
  (target: string, kind: string) =>
    `The integration can only be installed on resources of the type ${target}, not on a ${kind}.`,
);

export const inviteLinksDisabled = define(
  409,
  'invite_links_disabled',
  () => 'The organization does not accept invite links. Ask an organization admin to invite you.',
);

export const lastAdmin = define(
  409,
  'last_admin',
  () => 'The member is the last admin of the organization. Make another member an admin first.',
);

export const levelNotApplicable = define(
  409,
  'level_not_applicable',
  () => 'An invite link to the organization has no level. Set `role`.',
);

export const roleNotApplicable = define(
  409,
  'role_not_applicable',
  () => 'An invite link to a space or a collection has no role. Set `level`.',
);

export const pageDepthExceeded = define(
  409,
  'page_depth_exceeded',
  (depth: number) => `The page tree would have more than ${depth} levels. Move the page further up.`,
);

export const pageLimitExceeded = define(
  409,
  'page_limit_exceeded',
  (entries: number) =>
    `The page tree would have more than ${entries} entries: each page is one, and each page with subpages is two. Divide the pages among several spaces.`,
);

export const basenameTaken = define(
  409,
  'basename_taken',
  (basename: string) => `Another site of the organization uses the basename ${basename}. Choose another one.`,
);

export const proxyTaken = define(
  409,
  'proxy_taken',
  (origin: string) => `Another site is proxied at ${origin}. Choose another hostname or path.`,
);

const siteLimitMessage = (entries: string) => (limit: number) =>
  `The site would have more than ${limit} ${entries}. Divide them among several sites.`;

export const sectionLimitExceeded = define(409, 'section_limit_exceeded', siteLimitMessage('sections'));

export const sectionGroupLimitExceeded = define(
  409,
  'section_group_limit_exceeded',
  siteLimitMessage('section groups'),
);

export const siteSpaceLimitExceeded = define(
  409,
  'site_space_limit_exceeded',
  siteLimitMessage('site spaces'),
);

export const reviewLimitExceeded = define(
  409,
  'review_limit_exceeded',
  (limit: number) =>
    `The change request has ${limit} reviews, and can have no more. Create another change request.`,
);

export const shareLinkLimitExceeded = define(
  409,
  'share_link_limit_exceeded',
  (limit: number) => `The site would have more than ${limit} share links. Delete one that is no longer used.`,
);

export const organizationFileLimitExceeded = define(
  409,
  'organization_file_limit_exceeded',
  (limit: number) =>
    `The organization would have more than ${limit} files. Delete one that is no longer used.`,
);

export const redirectLimitExceeded = define(
  409,
  'redirect_limit_exceeded',
  (limit: number) =>
    `The site would have more than ${limit} redirects. Delete one, or replace several by one with a wildcard.`,
);

export const redirectSourceTaken = defineFieldConflict(
  'redirect_source_taken',
  () => 'is already the source of another redirect',
);

export const spaceAlreadyShown = define(
  409,
  'space_already_shown',
  () => 'The same level of the site already shows the space. Choose another space or section.',
);

export const pathTaken = defineFieldConflict('path_taken', () => 'is already used by a sibling');

export const specificationSlugTaken = define(
  409,
  'slug_taken',
  (slug: string) =>
    `The organization already has an OpenAPI specification ${slug}. Choose another slug, or update that specification with PUT.`,
);

export const spaceLocked = define(
  409,
  'space_locked',
  () => 'The space is locked. Set its editMode to live, or edit a change request.',
);

export const spaceTransferred = define(
  409,
  'space_transferred',
  () => 'The space was transferred to another organization during the request. Send the request again.',
);

export const pageCycle = defineFieldConflict(
  'page_cycle',
  () => 'must not be the page itself or one of its descendants',
);

export const positionOutOfRange = defineFieldConflict(
  'position_out_of_range',
  (siblings: number) => `must be at most ${siblings}, the number of siblings`,
);

export const pageSlugTaken = defineFieldConflict('slug_taken', () => 'is already used by a sibling page');

export const processingLimitExceeded = define(422, 'processing_limit_exceeded', (message: string) => message);

export const translationSourceRequired = define(
  409,
  'translation_source_required',
  () =>
    'The source of the translation is required: the organization does not have exactly one space with a language. Set `source`.',
  [{ in: 'body', path: 'source', message: 'is required' }],
);

export const translationLanguageEqual = define(
  409,
  'translation_language_equal',
  () => 'The language of a translation must differ from that of its source. Choose another one.',
  [{ in: 'body', path: 'language', message: 'is the language of the source' }],
);

export const integrationRejected = defineForwarded('integration_rejected');

export const integrationFailed = define(
  502,
  'integration_failed',
  (name: string, cause: string) => `The integration ${name} failed: ${cause}`,
);

export const languageModelMissing = define(
  501,
  'not_implemented',
  () =>
    'This server does not answer questions, because it has no language model. Search the site instead: POST …/search.',
);

export const languageModelFailed = define(
  502,
  'language_model_failed',
  (cause: string) => `The language model did not answer the question: ${cause} Try again later.`,
);

export const outcomeUnknown = define(
  503,
  'outcome_unknown',
  (cause?: string) =>
    cause ?? 'The request may have been applied. Retrieve the resource before sending the request again.',
);

export const dataCorrupt = define(500, 'internal', (cause: string) => cause);
