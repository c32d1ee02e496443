import { ContractError } from '../contract/errors.ts';
import { define } from './define-errors.ts';

/* Errors of callers: authentication, sign-in, permissions and scopes. Import them from errors.ts. */

/** Creates a 401. The router adds the challenge of the security schemes only to its own errors. */
const unauthenticated = (message: string): ContractError =>
  new ContractError(401, 'unauthenticated', message, { headers: { 'WWW-Authenticate': 'Bearer' } });

/** Creates a 401 for a request without a credential. */
export const credentialMissing = () =>
  unauthenticated('Authentication is required. Send Authorization: Bearer <token> with an access token.');

/** Creates a 401 for a request of a reader without a credential. */
export const readerCredentialMissing = () =>
  unauthenticated(
    'Authentication is required. Send Authorization: Bearer <token> with an access token or a visitor token, or the parameter shareKey.',
  );

/** Creates a 401 for a token that is neither an access token nor a visitor token. */
export const visitorTokenInvalid = () =>
  unauthenticated(
    'The token is neither an access token nor a valid visitor token of this site. Send a token that has not expired.',
  );

export const signInNotPending = define(
  400,
  'request_malformed',
  () =>
    'The sign-in was not started in this browser, has expired or is already completed. Start it again from the page that you want to open.',
);

export const samlResponseRejected = define(
  400,
  'request_malformed',
  () =>
    'The response of the identity provider was rejected. Start the sign-in again. If it fails again, ask an organization admin to check the settings of the SAML provider.',
);

export const permissionMissing = define(
  403,
  'permission_missing',
  (resource: string, permission: string) =>
    `Missing permission: this operation requires the permission ${permission} on the ${resource}. Ask an organization admin for access.`,
);

export const resolvingNotPermitted = define(
  403,
  'permission_missing',
  () => 'Only the author of a comment and users who can edit the space can resolve or reopen it.',
);

export const crossOriginSignOut = define(
  403,
  'permission_missing',
  () => 'Only pages of this server can sign a user out. Sign out from one of them.',
);

export const scopeMissing = define(
  403,
  'scope_missing',
  (scope: string) =>
    `The access token lacks the scope ${scope}, which this operation requires. Use a token that has it.`,
);

export const notForInstallations = define(
  403,
  'scope_missing',
  () => 'No scope permits access tokens of installations to use this operation. Use the token of a user.',
);

export const tokenScopesExceeded = define(
  403,
  'token_exceeds_creator',
  (scopes: string) =>
    `A token with the scopes ${scopes} can only create tokens with these scopes. Set \`scopes\`, or use another token.`,
);

export const tokenExpiryExceeded = define(
  403,
  'token_exceeds_creator',
  (expiresAt: string) =>
    `The token of this request expires at ${expiresAt} and can only create tokens that expire by then. Set \`expiresAt\`, or use another token.`,
);

export const tokensManagedElsewhere = define(
  403,
  'tokens_managed_elsewhere',
  () =>
    'The access tokens of this member are managed by the organization that the member joined first. To end their access here, remove the member.',
);

export const membershipDisabled = define(
  403,
  'membership_disabled',
  () => 'Your membership is disabled. Ask an organization admin.',
);

export const samlProviderNotActive = define(
  404,
  'not_found',
  () =>
    'The SAML provider does not exist, or its settings are incomplete or invalid. Ask an organization admin.',
);
